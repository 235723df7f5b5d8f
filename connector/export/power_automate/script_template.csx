// Written by Kontor, and tried by a compiler and a runtime that are not the platform's own: try it on a test environment
// first.
//
// It does four things that a connector definition cannot say:
// - it sends the operations that fill dropdowns and the triggers to the service's own paths;
// - it writes the options of dropdowns as their templates say;
// - it speaks the platform's polling protocol: 202 and Location when nothing is new, 200 and Location with the new items.
// - it keeps the platform from repeating a write: of 408, 429 and 5xx it makes 424, which no retry policy repeats.
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
        if (route["once"] != null)
        {
            return await this.Once((string)route["once"]).ConfigureAwait(false);
        }
        if (route["options"] is JArray options)
        {
            return Local(options);
        }
        var asked = this.Context.Request.RequestUri;
        var query = Query(asked);
        return route["cursor"] == null
            ? await this.Options(asked, route, query).ConfigureAwait(false)
            : await this.Poll(asked, route, query).ConfigureAwait(false);
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

    // A write is sent once: what the platform would repeat becomes an answer that it does not.
    private async Task<HttpResponseMessage> Once(string told)
    {
        var answer = await this.Send(this.Context.Request).ConfigureAwait(false);
        var status = (int)answer.StatusCode;
        if (status != 408 && status != 429 && status < 500)
        {
            return answer;
        }
        var body = answer.Content == null ? "" : await answer.Content.ReadAsStringAsync().ConfigureAwait(false);
        return Answer((HttpStatusCode)424, new JObject { ["status"] = status, ["message"] = told, ["answer"] = body });
    }

    // The rows of an answer. Numbers keep their digits, and dates stay the text they are.
    private static JArray Rows(string text, JObject route)
    {
        var reader = new JsonTextReader(new StringReader(text))
        {
            FloatParseHandling = FloatParseHandling.Decimal,
            DateParseHandling = DateParseHandling.None
        };
        var body = JToken.ReadFrom(reader);
        var under = (string)route["collection"];
        return (JArray)(body is JObject && under != "" ? body[under] : body);
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
        return Shown(options.Select(option => Option(written(option["value"]), written(option["label"]))));
    }

    private static HttpResponseMessage Shown(IEnumerable<JObject> options)
    {
        return Answer(HttpStatusCode.OK, new JObject { ["data"] = new JArray(options) });
    }

    private static JObject Option(string value, string label)
    {
        return new JObject { ["value"] = value, ["label"] = label };
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

    private static string Taken(Dictionary<string, string> query, string name)
    {
        var value = query.ContainsKey(name) ? query[name] : "";
        query.Remove(name);
        return value;
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

    private async Task<HttpResponseMessage> Options(Uri asked, JObject route, Dictionary<string, string> query)
    {
        this.Context.Request.RequestUri = Real(asked, route, query);
        var answer = await this.Send(this.Context.Request).ConfigureAwait(false);
        if (!answer.IsSuccessStatusCode)
        {
            return answer;
        }
        var rows = Rows(await answer.Content.ReadAsStringAsync().ConfigureAwait(false), route);
        var wrap = (string)route["wrap"];
        var seen = new HashSet<string>();
        var options = new List<JObject>();
        foreach (var found in rows)
        {
            var row = wrap != null && found.Type == JTokenType.String ? new JObject { [wrap] = found } : found;
            var value = First(row, route["value"]);
            if (value == "" || (route["distinct"] != null && !seen.Add(value)))
            {
                continue;
            }
            var label = Joined(row, route["label"]);
            var hint = Joined(row, route["hint"]);
            options.Add(Option(value, (label == "" ? value : label) + (hint == "" ? "" : (string)route["between"] + hint)));
        }
        return Shown(options);
    }

    private static string Joined(JToken row, JToken templates)
    {
        return string.Join(", ", (templates ?? new JArray()).Select(parts => Text(row, parts, false)).Where(text => text != ""));
    }

    // Parts are texts, values, and sections, which vanish when a value in them is empty.
    private static string Text(JToken row, JToken parts, bool vanishes)
    {
        var text = new StringBuilder();
        foreach (var part in parts)
        {
            var isValue = part.Type == JTokenType.Object && part["section"] == null;
            var piece = part.Type == JTokenType.String
                ? (string)part
                : isValue ? Value(row, part) : Text(row, part["section"], true);
            if (vanishes && isValue && piece == "")
            {
                return "";
            }
            text.Append(piece);
        }
        return text.ToString();
    }

    private static string Value(JToken row, JToken part)
    {
        var text = First(row, part["first"]);
        if (part["last"] != null)
        {
            return text.Substring(Math.Max(0, text.Length - (int)part["last"]));
        }
        if (part["day"] != null)
        {
            return Day(text, (string)part["day"]);
        }
        if (part["words"] != null)
        {
            return (string)part["words"][text] ?? text;
        }
        if (part["comma"] != null && (bool)part["comma"])
        {
            text = text.Replace('.', ',');
        }
        return part["with"] != null && text != "" ? (text + " " + Plain(row.SelectToken((string)part["with"]))).TrimEnd() : text;
    }

    // The day in Berlin of a point in time; any other text begins with its day.
    private static string Day(string text, string language)
    {
        DateTimeOffset moment;
        if (text.Contains("T") && DateTimeOffset.TryParse(text, System.Globalization.CultureInfo.InvariantCulture, System.Globalization.DateTimeStyles.AssumeUniversal, out moment))
        {
            text = InBerlin(moment).ToString("yyyy-MM-dd", System.Globalization.CultureInfo.InvariantCulture);
        }
        var day = text.Substring(0, Math.Min(10, text.Length)).Split('-');
        return language == "de" && day.Length == 3 ? day[2] + "." + day[1] + "." + day[0] : string.Join("-", day);
    }

    // Windows and Linux know the zone by different names, and neither everywhere: an hour ahead of UTC, in summer two.
    private static DateTimeOffset InBerlin(DateTimeOffset moment)
    {
        var utc = moment.UtcDateTime;
        var isSummer = utc >= Change(utc.Year, 3) && utc < Change(utc.Year, 10);
        return moment.ToOffset(TimeSpan.FromHours(isSummer ? 2 : 1));
    }

    // The clocks change at one o'clock UTC on the last Sunday of March and of October.
    private static DateTime Change(int year, int month)
    {
        var last = new DateTime(year, month, 31, 1, 0, 0, DateTimeKind.Utc);
        return last.AddDays(-(int)last.DayOfWeek);
    }

    private static string First(JToken row, JToken paths)
    {
        return paths.Select(path => Plain(row.SelectToken((string)path))).FirstOrDefault(text => text != "") ?? "";
    }

    // Texts as they stand, numbers in their digits, truth values in small letters; anything else is empty.
    private static string Plain(JToken value)
    {
        if (value == null || !(value is JValue) || value.Type == JTokenType.Null)
        {
            return "";
        }
        var text = Convert.ToString(((JValue)value).Value, System.Globalization.CultureInfo.InvariantCulture);
        return value.Type == JTokenType.Boolean ? text.ToLowerInvariant() : text;
    }

    private async Task<HttpResponseMessage> Poll(Uri asked, JObject route, Dictionary<string, string> query)
    {
        var cursor = Taken(query, "cursor");
        var flags = new HashSet<string>(
            route["flags"].Select(flag => (string)flag).ToList().Where(flag => Taken(query, flag).ToLowerInvariant() == "true"));
        if (cursor != "" && route["from"] != null)
        {
            query[(string)route["from"]] = cursor;
        }
        this.Context.Request.RequestUri = Real(asked, route, query);
        var answer = await this.Send(this.Context.Request).ConfigureAwait(false);
        if (!answer.IsSuccessStatusCode)
        {
            return answer;
        }
        var rows = Rows(await answer.Content.ReadAsStringAsync().ConfigureAwait(false), route);
        var by = (string)route["cursor"];
        var isFirst = !Query(asked).ContainsKey("cursor");
        var top = cursor;
        var items = new JArray();
        foreach (var row in rows.OrderBy(row => Order(Plain(row.SelectToken(by))), StringComparer.Ordinal))
        {
            var place = Plain(row.SelectToken(by));
            if (cursor != "" && string.CompareOrdinal(Order(place), Order(cursor)) <= 0)
            {
                continue;
            }
            if (Meets(row, route["wait"], flags))
            {
                break;
            }
            top = place;
            if (!isFirst && !Meets(row, route["skip"], flags))
            {
                row["_id"] = Plain(row["id"]);
                items.Add(row);
            }
        }
        var reply = items.Count > 0
            ? Answer(HttpStatusCode.OK, new JObject { ["items"] = items })
            : Answer(HttpStatusCode.Accepted, null);
        var next = Query(asked);
        next["cursor"] = top == "" && by == "id" ? "0" : top;
        reply.Headers.Location = new UriBuilder(asked) { Query = Written(next) }.Uri;
        reply.Headers.Add("Retry-After", (string)route["retry_after"]);
        return reply;
    }

    // Ids are ordered by length, then as text: as numbers they could lose digits. Dates are ordered as text.
    private static string Order(string place)
    {
        return place.All(char.IsDigit) ? place.Length.ToString("00000") + place : place;
    }

    // Whether a row meets one of the choices of a condition, unless a flag switches the condition off.
    private static bool Meets(JToken row, JToken condition, HashSet<string> flags)
    {
        if (condition == null || (condition["unless"] != null && flags.Contains((string)condition["unless"])))
        {
            return false;
        }
        return condition["when"].Any(choice => ((JObject)choice).Properties().All(test => Fits(Plain(row.SelectToken(test.Name)), test.Value)));
    }

    private static bool Fits(string text, JToken allowed)
    {
        return text != "" && allowed.Any(one => (string)one == "*" || (string)one == text);
    }
}
