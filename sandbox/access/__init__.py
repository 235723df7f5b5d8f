"""Who may ask and how much: API keys, credits, rate limits."""
