"""What is recorded beside the results of a run, because the files of the benchmark do not say it."""
