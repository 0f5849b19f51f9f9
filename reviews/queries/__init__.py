"""The only readers. A person reaches a memo through `people.memos_visible_to` and nothing else."""
