"""Planning of runs: what is asked, the pilot, the plan, the power, the guardrails; for page, API and command line."""
