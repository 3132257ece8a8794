//! Back ends, which execute MIR functions.

mod cranelift;
#[cfg(test)]
mod tests;

use std::sync::{Mutex, OnceLock, PoisonError};

use crate::jit::mir::Function;
use crate::jit::mir::verify::verify;
use crate::jit::runtime::call::Entry;

/// How functions are executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// As machine code, or interpreted on hosts for which there is no code generator.
    Machine,
    /// By the MIR interpreter.
    Interpreter,
}

/// Functions that are compiled together, each when it is first needed.
#[derive(Debug)]
pub struct Module {
    functions: Vec<Defined>,
    /// What generates machine code; `None` if functions are interpreted.
    machine: Option<Mutex<cranelift::Module>>,
}

/// A function of a module.
#[derive(Debug)]
struct Defined {
    name: String,
    // Boxed, because interpreted entries refer to it.
    func: Box<Function>,
    entry: OnceLock<Result<Entry, String>>,
}

impl Module {
    /// Creates an empty module.
    pub fn new(target: Target) -> Module {
        let machine = match target {
            Target::Machine => cranelift::Module::new().ok().map(Mutex::new),
            Target::Interpreter => None,
        };
        Module { functions: Vec::new(), machine }
    }

    /// Adds a function that takes the address of a context; returns its index, from 0.
    pub fn define(&mut self, name: &str, func: Function) -> Result<usize, String> {
        if cfg!(debug_assertions) {
            verify(&func).map_err(|wrong| format!("Verifier: {wrong}"))?;
        }
        let (name, func, entry) = (name.to_string(), Box::new(func), OnceLock::new());
        self.functions.push(Defined { name, func, entry });
        Ok(self.functions.len() - 1)
    }

    /// Returns the entry of a function; it is valid as long as the module.
    pub fn entry(&self, index: usize) -> Result<Entry, &String> {
        let Defined { name, func, entry } = &self.functions[index];
        let compile = || match &self.machine {
            Some(machine) => machine.lock().unwrap_or_else(PoisonError::into_inner).compile(name, func),
            None => Ok(Entry::Interpreted(&raw const **func)),
        };
        entry.get_or_init(compile).as_ref().copied()
    }

    /// Returns the functions with their names, if they are interpreted.
    pub fn interpreted(&self) -> impl Iterator<Item = (&str, &Function)> {
        let shown = self.functions.iter().filter(|_| self.machine.is_none());
        shown.map(|function| (function.name.as_str(), &*function.func))
    }
}
