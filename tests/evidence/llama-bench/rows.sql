CREATE TABLE IF NOT EXISTS llama_bench (
  build_commit TEXT,
  avg_ts REAL
);

INSERT INTO llama_bench (build_commit, model_filename, model_type, n_prompt, n_gen, n_depth, test_time, avg_ns, stddev_ns, avg_ts, stddev_ts) VALUES ('abc123', '/m/it''s.gguf', 'tiny', '0', '128', '0', '2026-01-02T03:04:05Z', '2000000000', '1000000', '64.0', '0.5');
