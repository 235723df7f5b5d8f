const output = { webhook_url: webhookUrl(z, answer, UNREADABLE) };
