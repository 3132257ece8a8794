//! Matrix games, solved by the simplex method.

/// The tolerance below which a number counts as zero.
const NOTHING: f64 = 1e-11;

/// Returns the value of a matrix game to the row player, and an equilibrium mix of the rows.
///
/// With all entries above 0, the column player's mix is y / sum(y) for the y ≥ 0 of greatest sum with matrix
/// · y ≤ 1 in each row, and the row player's mix is the dual solution (G. Dantzig, 1951). Pivots follow
/// Bland's rule, which prevents cycling.
pub fn equilibrium(matrix: &[Vec<f64>]) -> (f64, Vec<f64>) {
    let (rows, columns) = (matrix.len(), matrix[0].len());
    let least = matrix.iter().flatten().copied().fold(f64::INFINITY, f64::min);
    let shift = 1.0 - least;
    // One row per constraint: entries, slack variables, right-hand side. The last row is the objective.
    let width = columns + rows + 1;
    let mut tableau = vec![vec![0.0; width]; rows + 1];
    for (at, row) in matrix.iter().enumerate() {
        row.iter().enumerate().for_each(|(column, entry)| tableau[at][column] = entry + shift);
        tableau[at][columns + at] = 1.0;
        tableau[at][width - 1] = 1.0;
    }
    tableau[rows][..columns].fill(-1.0);
    let mut basis: Vec<usize> = (columns..columns + rows).collect();
    while let Some(enters) = tableau[rows][..width - 1].iter().position(|cost| *cost < -NOTHING) {
        let ratio = |row: usize| tableau[row][width - 1] / tableau[row][enters];
        let leaving = (0..rows).filter(|row| tableau[*row][enters] > NOTHING);
        let leaves = leaving.min_by(|a, b| ratio(*a).total_cmp(&ratio(*b)).then(basis[*a].cmp(&basis[*b])));
        let leaves = leaves.expect("shares of positive entries are bounded");
        let pivot = tableau[leaves][enters];
        tableau[leaves].iter_mut().for_each(|entry| *entry /= pivot);
        let row = tableau[leaves].clone();
        for (other, values) in tableau.iter_mut().enumerate() {
            let factor = values[enters];
            if other != leaves && factor != 0.0 {
                values.iter_mut().zip(&row).for_each(|(value, by)| *value -= factor * by);
            }
        }
        basis[leaves] = enters;
    }
    let sum = tableau[rows][width - 1];
    let mix = tableau[rows][columns..columns + rows].iter().map(|dual| dual / sum).collect();
    (1.0 / sum - shift, mix)
}

/// Returns the value of a mix of the rows against an opponent who knows it.
pub fn guaranteed(matrix: &[Vec<f64>], mix: &[f64]) -> f64 {
    let against = |column: usize| matrix.iter().zip(mix).map(|(row, part)| row[column] * part).sum::<f64>();
    (0..matrix[0].len()).map(against).fold(f64::INFINITY, f64::min)
}
