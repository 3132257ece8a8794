//! Back ends, which execute MIR functions.

mod cranelift;
#[cfg(test)]
mod tests;

use crate::jit::mir::Function;
use crate::jit::mir::verify::verify;
use crate::jit::runtime::call::{CodeMemory, Entry};

/// How functions are executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// As machine code, or interpreted on hosts for which there is no code generator.
    Machine,
    /// By the MIR interpreter.
    Interpreter,
}

/// Functions that are compiled together.
pub enum Module {
    /// They become machine code.
    Machine(Box<cranelift::Module>),
    /// They are interpreted as they are.
    Interpreted(Vec<(String, Box<Function>)>),
}

impl Module {
    /// Creates an empty module.
    pub fn new(target: Target) -> Module {
        let machine = match target {
            Target::Machine => cranelift::Module::new().ok(),
            Target::Interpreter => None,
        };
        match machine {
            Some(module) => Module::Machine(Box::new(module)),
            None => Module::Interpreted(Vec::new()),
        }
    }

    /// Adds a function that takes the address of a context; returns its index, from 0.
    pub fn define(&mut self, name: &str, func: Function) -> Result<usize, String> {
        if cfg!(debug_assertions) {
            verify(&func).map_err(|wrong| format!("Verifier: {wrong}"))?;
        }
        match self {
            Module::Machine(module) => module.define(name, &func),
            Module::Interpreted(functions) => {
                functions.push((name.to_string(), Box::new(func)));
                Ok(functions.len() - 1)
            }
        }
    }

    /// Returns the entries of all functions, and the memory that owns them.
    pub fn finish(self) -> Result<(Vec<Entry>, CodeMemory), String> {
        match self {
            Module::Machine(module) => module.finish(),
            Module::Interpreted(functions) => {
                let entries =
                    functions.iter().map(|(_, func)| Entry::Interpreted(&raw const **func)).collect();
                Ok((entries, CodeMemory::Interpreted(functions)))
            }
        }
    }
}
