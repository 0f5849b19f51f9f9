"""The only writers. Each function is one deed: lock, ask the policy, change, leave an event, in one transaction."""
