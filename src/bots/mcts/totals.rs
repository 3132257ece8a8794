//! What the playouts of a search brought on average.

/// What playouts brought in all.
#[derive(Default)]
pub(super) struct Totals {
    /// The sum of the shares of the win, by seat.
    pub shares: Vec<f64>,
    /// How many playouts there were.
    pub playouts: u64,
    /// The score of a single seat that plays for it.
    pub score: WeightedMean,
}

impl Totals {
    /// Adds a batch of playouts that counts as `counted` of them; `rewards` are the sums of the batch by seat, and
    /// `score` is the mean score of a single seat that plays for it.
    pub fn add(&mut self, counted: u32, batch_size: u32, rewards: &[(f64, f64)], score: Option<f64>) {
        let part = f64::from(counted) / f64::from(batch_size);
        self.playouts += u64::from(counted);
        self.shares.resize(rewards.len(), 0.0);
        self.shares.iter_mut().zip(rewards).for_each(|(sum, (share, _))| *sum += part * share);
        if let Some(score) = score {
            self.score.add(f64::from(counted), score);
        }
    }
}

/// The mean of values with weights, and its standard error.
#[derive(Default)]
pub(super) struct WeightedMean {
    /// The sums of the weights, and of the weighted values.
    sums: (f64, f64),
    /// The sums of the squares of the weights, of those times the values, and times the squares of the values.
    squares: (f64, f64, f64),
}

impl WeightedMean {
    fn add(&mut self, weight: f64, value: f64) {
        let square = weight * weight;
        let ((weights, sum), (squares, first, second)) = (&mut self.sums, &mut self.squares);
        (*weights, *sum) = (*weights + weight, *sum + weight * value);
        (*squares, *first, *second) =
            (*squares + square, *first + square * value, *second + square * value * value);
    }

    pub fn mean(&self) -> f64 {
        self.sums.1 / self.sums.0
    }

    pub fn standard_error(&self) -> f64 {
        let (mean, (squares, first, second)) = (self.mean(), self.squares);
        (second - 2.0 * mean * first + mean * mean * squares).max(0.0).sqrt() / self.sums.0
    }
}
