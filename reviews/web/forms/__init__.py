"""Forms: shape only. What a service refuses is said at the form, with the words of the refusal."""
