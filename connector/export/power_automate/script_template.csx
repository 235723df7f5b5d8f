// Written by Kontor. This script has not been compiled where it was written: try it on a test environment first.
//
// It does three things that a connector definition cannot say:
// - it sends the operations that fill dropdowns and the triggers to the service's own paths;
// - it answers the dropdowns that need nobody's answer;
// - it speaks the platform's polling protocol: 202 and Location when nothing is new, 200 and Location with the new items.
// What each operation needs stands in Routes. All other operations pass through untouched.

public class Script : ScriptBase
{
    private const string Routes = @"/*ROUTES*/";

    public override async Task<HttpResponseMessage> ExecuteAsync()
    {
        var routes = JObject.Parse(Routes);
        var route = routes[this.Context.OperationId] as JObject ?? routes[Decoded(this.Context.OperationId)] as JObject;
        if (route == null)
        {
            return await this.Send(this.Context.Request).ConfigureAwait(false);
        }
        if (route["options"] is JArray options)
        {
            return Local(options);
        }
        var asked = this.Context.Request.RequestUri;
        var query = Query(asked);
        if (route["cursor"] == null)
        {
            this.Context.Request.RequestUri = Real(asked, route, query);
            var answer = await this.Send(this.Context.Request).ConfigureAwait(false);
            return answer.IsSuccessStatusCode && route["distinct"] != null
                ? Distinct(Parsed(await answer.Content.ReadAsStringAsync().ConfigureAwait(false)), route)
                : answer;
        }
        return await this.Poll(asked, route, query).ConfigureAwait(false);
    }

    // Some regions hand the operation's id over in base64.
    private static string Decoded(string id)
    {
        try
        {
            return Encoding.UTF8.GetString(Convert.FromBase64String(id));
        }
        catch (FormatException)
        {
            return id;
        }
    }

    private Task<HttpResponseMessage> Send(HttpRequestMessage request)
    {
        return this.Context.SendAsync(request, this.CancellationToken);
    }

    // Numbers keep their digits, and dates stay the text they are.
    private static JToken Parsed(string text)
    {
        var reader = new JsonTextReader(new StringReader(text))
        {
            FloatParseHandling = FloatParseHandling.Decimal,
            DateParseHandling = DateParseHandling.None
        };
        return JToken.ReadFrom(reader);
    }

    private static HttpResponseMessage Answer(HttpStatusCode status, JToken body)
    {
        var answer = new HttpResponseMessage(status);
        if (body != null)
        {
            answer.Content = CreateJsonContent(body.ToString(Newtonsoft.Json.Formatting.None));
        }
        return answer;
    }

    private static HttpResponseMessage Local(JArray options)
    {
        var year = DateTime.UtcNow.Year;
        Func<JToken, string> written = parts => string.Concat(
            parts.Select(part => part.Type == JTokenType.Integer ? (year + (int)part).ToString("0000") : (string)part));
        var shown = new JArray(options.Select(option => new JObject
        {
            ["value"] = written(option["value"]),
            ["label"] = written(option["label"])
        }));
        return Answer(HttpStatusCode.OK, new JObject { ["data"] = shown });
    }

    private static Dictionary<string, string> Query(Uri asked)
    {
        var found = new Dictionary<string, string>();
        foreach (var pair in asked.Query.TrimStart('?').Split('&').Where(pair => pair != ""))
        {
            var parts = pair.Split(new[] { '=' }, 2);
            var value = parts.Length > 1 ? parts[1].Replace("+", " ") : "";
            found[Uri.UnescapeDataString(parts[0])] = Uri.UnescapeDataString(value);
        }
        return found;
    }

    private static string Written(Dictionary<string, string> query)
    {
        return string.Join("&", query.Select(pair => Uri.EscapeDataString(pair.Key) + "=" + Uri.EscapeDataString(pair.Value)));
    }

    // The service's own path; parameters that belong into it leave the query.
    private static Uri Real(Uri asked, JObject route, Dictionary<string, string> query)
    {
        var path = (string)route["path"];
        foreach (var name in query.Keys.Where(key => path.Contains("{" + key + "}")).ToList())
        {
            path = path.Replace("{" + name + "}", Uri.EscapeDataString(query[name]));
            query.Remove(name);
        }
        var basis = asked.AbsolutePath.Substring(0, asked.AbsolutePath.LastIndexOf((string)route["virtual"]));
        return new UriBuilder(asked) { Path = basis + path, Query = Written(query) }.Uri;
    }

    private static HttpResponseMessage Distinct(JToken body, JObject route)
    {
        var seen = new HashSet<string>();
        var name = (string)route["distinct"];
        var rows = (JArray)body[(string)route["collection"]];
        body[(string)route["collection"]] = new JArray(rows.Where(row => seen.Add((string)row[name])));
        return Answer(HttpStatusCode.OK, body);
    }

    private async Task<HttpResponseMessage> Poll(
        Uri asked, JObject route, Dictionary<string, string> query)
    {
        query.TryGetValue("cursor", out var cursor);
        query.Remove("cursor");
        var flags = new Dictionary<string, bool>();
        foreach (var flag in route["flags"].Select(flag => (string)flag))
        {
            flags[flag] = query.TryGetValue(flag, out var entered) && entered.ToLowerInvariant() == "true";
            query.Remove(flag);
        }
        if (cursor != null && route["from"] != null)
        {
            query[(string)route["from"]] = cursor;
        }
        this.Context.Request.RequestUri = Real(asked, route, query);
        var answer = await this.Send(this.Context.Request).ConfigureAwait(false);
        if (!answer.IsSuccessStatusCode)
        {
            return answer;
        }
        var body = Parsed(await answer.Content.ReadAsStringAsync().ConfigureAwait(false));
        var rows = (JArray)((string)route["collection"] == "" ? body : body[(string)route["collection"]]);
        var by = (string)route["cursor"];
        var top = cursor;
        var items = new JArray();
        foreach (var row in rows.OrderBy(row => Order((string)row[by]), StringComparer.Ordinal))
        {
            var place = (string)row[by];
            if (cursor != null && string.CompareOrdinal(Order(place), Order(cursor)) <= 0)
            {
                continue;
            }
            var waits = On(route, "waits_for") && !Flag(flags, route, "not_if");
            if (waits && (string)row["status"] == (string)route["waits_for"])
            {
                break;
            }
            top = place;
            var leaves = On(route, "leaves_out") && !Flag(flags, route, "but_if");
            var left = leaves && ((bool?)row[(string)route["leaves_out"]] ?? false);
            if (cursor != null && !left)
            {
                row["_id"] = (string)row["id"];
                items.Add(row);
            }
        }
        var reply = items.Count > 0
            ? Answer(HttpStatusCode.OK, new JObject { ["items"] = items })
            : Answer(HttpStatusCode.Accepted, null);
        var next = Query(asked);
        next["cursor"] = top ?? (by == "id" ? "0" : "");
        reply.Headers.Location = new UriBuilder(asked) { Query = Written(next) }.Uri;
        reply.Headers.Add("Retry-After", (string)route["retry_after"]);
        return reply;
    }

    // Ids are ordered by length, then as text: as numbers they could lose digits. Dates are ordered as text.
    private static string Order(string place)
    {
        var text = place ?? "";
        return text.All(char.IsDigit) ? text.Length.ToString("00000") + text : text;
    }

    private static bool On(JObject route, string name)
    {
        return (string)route[name] != null;
    }

    private static bool Flag(Dictionary<string, bool> flags, JObject route, string name)
    {
        return On(route, name) && flags.TryGetValue((string)route[name], out var on) && on;
    }
}
