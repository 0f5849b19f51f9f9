"""Evidence formats: golden cases in one folder a format, real files where they are at hand, and everything else."""
