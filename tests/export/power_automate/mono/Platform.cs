// What the platform puts around a script: its base class and context, as its documentation describes them, and a
// program that reads one call per line as JSON, runs the script on it, and writes what came of it as a line.

using System;
using System.Collections.Generic;
using System.Net.Http;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

public interface IScriptContext
{
    string CorrelationId { get; }
    string OperationId { get; }
    HttpRequestMessage Request { get; }
    Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken);
}

public abstract class ScriptBase
{
    public IScriptContext Context { get; set; }
    public CancellationToken CancellationToken { get { return CancellationToken.None; } }
    public abstract Task<HttpResponseMessage> ExecuteAsync();

    public static StringContent CreateJsonContent(string serializedJson)
    {
        return new StringContent(serializedJson, Encoding.UTF8, "application/json");
    }
}

public class OneCall : IScriptContext
{
    private static readonly HttpClient Client = new HttpClient();

    public string CorrelationId { get { return "0"; } }
    public string OperationId { get; set; }
    public HttpRequestMessage Request { get; set; }

    public Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        return Client.SendAsync(request, cancellationToken);
    }
}

public static class Program
{
    public static void Main()
    {
        string line;
        while ((line = Console.ReadLine()) != null)
        {
            Console.WriteLine(Run(line).GetAwaiter().GetResult());
        }
    }

    private static async Task<string> Run(string line)
    {
        var call = JsonConvert.DeserializeObject<Dictionary<string, string>>(line);
        var request = new HttpRequestMessage(new HttpMethod(call["method"]), call["url"]);
        request.Headers.Add("x-api-key", call["key"]);
        if (call["body"] != null)
        {
            request.Content = ScriptBase.CreateJsonContent(call["body"]);
        }
        var script = new Script { Context = new OneCall { OperationId = call["operation"], Request = request } };
        var answer = await script.ExecuteAsync().ConfigureAwait(false);
        var text = answer.Content == null ? "" : await answer.Content.ReadAsStringAsync().ConfigureAwait(false);
        var location = answer.Headers.Location == null ? "" : answer.Headers.Location.AbsoluteUri;
        return new JObject { ["status"] = (int)answer.StatusCode, ["location"] = location, ["text"] = text }.ToString(Formatting.None);
    }
}
