"""n8n as its editor drives it: the owner's session over REST, workflows of one or two nodes, and their executions."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any
from uuid import uuid4

import httpx

PACKAGE = "n8n-nodes-kontor"
LANGCHAIN = "@n8n/n8n-nodes-langchain"
CREDENTIAL = "kontorApi"
OWNER = {"email": "owner@kontor.example", "firstName": "Ada", "lastName": "Petersen", "password": "Sehr-geheim-1"}
START = "Start"
RUN_SECONDS = 60
Parameters = dict[str, Any]


@dataclass(frozen=True)
class Execution:
    """What one execution has left behind."""

    id: str
    status: str
    mode: str
    result: dict[str, Any]

    def items(self, node: str) -> list[dict[str, Any]]:
        """The items that a node gave."""
        [run] = self.result["runData"][node]
        return [item["json"] for item in run["data"]["main"][0]]

    @property
    def error(self) -> dict[str, Any]:
        """The error that n8n shows to a person."""
        error: dict[str, Any] = self.result["error"]
        return error


class Editor:
    """The owner's session."""

    def __init__(self, url: str) -> None:
        self.url = url
        # A connection that is kept may be closed by a busy n8n at the moment of the next request.
        limits = httpx.Limits(max_keepalive_connections=0)
        self._http = httpx.Client(base_url=url, trust_env=False, timeout=60, limits=limits)
        self._paths: dict[str, str] = {}
        self.call("POST", "/rest/owner/setup", OWNER)

    def call(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        """One call; its data."""
        answer = self._http.request(method, path, json=body, params=query)
        assert answer.is_success, f"{method} {path}: {answer.status_code} {answer.text[:2000]}"
        return answer.json()["data"]

    def node_types(self) -> dict[str, dict[str, Any]]:
        """The package's nodes as the editor learns of them."""
        answer = self._http.get("/types/nodes.json")
        prefix = f"{PACKAGE}."
        return {one["name"].removeprefix(prefix): one for one in answer.json() if one["name"].startswith(prefix)}

    def content_type(self, path: str) -> str:
        """What a static file of the package is served as."""
        answer = self._http.get(path)
        assert answer.status_code == 200, path
        return answer.headers["content-type"]

    def new_credential(self, base_url: str, key: str, **more: Any) -> dict[str, str]:
        """A stored credential, as nodes refer to it."""
        return self._stored(CREDENTIAL, {"baseUrl": base_url, "apiKey": key, **more})

    def _stored(self, type: str, data: dict[str, Any]) -> dict[str, str]:
        made = self.call("POST", "/rest/credentials", {"name": f"Kontor {uuid4()}", "type": type, "data": data})
        return {"id": made["id"], "name": made["name"]}

    def test_credential(self, kept: dict[str, str], base_url: str, key: str) -> dict[str, str]:
        """What the editor shows after "Test"."""
        filled = {**kept, "type": CREDENTIAL, "data": {"baseUrl": base_url, "apiKey": key}}
        shown: dict[str, str] = self.call("POST", "/rest/credentials/test", {"credentials": filled})
        return shown

    def options(
        self, node: str, field: dict[str, Any], kept: dict[str, str], parameters: Parameters, **page: str
    ) -> httpx.Response:
        """Opens a field's dropdown, which n8n itself describes; of the `page` n8n knows filter and paginationToken."""
        asked = {
            "nodeTypeAndVersion": {"name": f"{PACKAGE}.{node}", "version": 1},
            "path": f"parameters.{field['name']}",
            "methodName": field["modes"][0]["typeOptions"]["searchListMethod"],
            "currentNodeParameters": parameters,
            "credentials": {CREDENTIAL: kept},
            **page,
        }
        return self._http.post("/rest/dynamic-node-parameters/resource-locator-results", json=asked)

    def run(self, kept: dict[str, str], parameters: Parameters) -> Execution:
        """Runs a workflow with one step, as "Execute workflow" does."""
        [done] = self.run_at_once(kept, parameters, 1)
        return done

    def run_at_once(self, kept: dict[str, str], parameters: Parameters, times: int) -> list[Execution]:
        """Presses "Execute workflow" of one workflow several times before the first execution has ended."""
        workflow = self._workflow(
            _node(START, "n8n-nodes-base.manualTrigger", {}), _node("Kontor", f"{PACKAGE}.kontor", parameters, kept)
        )
        with ThreadPoolExecutor(times) as pool:
            begun = list(pool.map(lambda _: self._begun(workflow), range(times)))
        return [self._ended(id) for id in begun]

    def run_agent(self, kept: dict[str, str], parameters: Parameters, model_url: str) -> Execution:
        """Runs an AI agent whose only tool is the package's action; `model_url` answers as a language model does."""
        key = self._stored("openAiApi", {"apiKey": "a-key", "url": model_url})
        start = _node(START, "n8n-nodes-base.manualTrigger", {})
        asked = {"promptType": "define", "text": "Pay it.", "options": {"maxIterations": 2}}
        agent = {**_node("Agent", f"{LANGCHAIN}.agent", asked), "typeVersion": 2.2}
        model = {
            **_node("Model", f"{LANGCHAIN}.lmChatOpenAi", {"model": {"__rl": True, "mode": "id", "value": "a-model"}}),
            "typeVersion": 1.2,
            "credentials": {"openAiApi": key},
        }
        tool = _node("Kontor", f"{PACKAGE}.kontorTool", parameters, kept)
        workflow = self._workflow(start, agent, beside={"ai_languageModel": model, "ai_tool": tool})
        return self._ended(self._begun(workflow))

    def imported(self, workflow: dict[str, Any]) -> dict[str, Any]:
        """A workflow as n8n keeps it after an import."""
        made: dict[str, Any] = self.call("POST", "/rest/workflows", workflow)
        return made

    def activate(self, workflow: dict[str, Any]) -> str:
        """Switches a workflow on; its id."""
        self.call("POST", f"/rest/workflows/{workflow['id']}/activate", {"versionId": workflow["versionId"]})
        id: str = workflow["id"]
        return id

    def run_whole(self, workflow: dict[str, Any], start: str) -> Execution:
        """Runs a workflow from one of its triggers, as "Execute workflow" does."""
        return self._ended(self._begun(workflow, start))

    def stored(self, type: str, data: dict[str, Any]) -> dict[str, str]:
        """A stored credential of any type, as nodes refer to it."""
        return self._stored(type, data)

    def _begun(self, workflow: dict[str, Any], start: str = START) -> str:
        body = {"workflowData": workflow, "triggerToStartFrom": {"name": start}}
        id: str = self.call("POST", f"/rest/workflows/{workflow['id']}/run", body)["executionId"]
        return id

    def activated(self, trigger: str, kept: dict[str, str], parameters: Parameters) -> str:
        """Activates a workflow that a trigger of the package starts; its id."""
        first = _node("Kontor", f"{PACKAGE}.{trigger}", parameters, kept)
        workflow = self._workflow(first, _node("Next", "n8n-nodes-base.noOp", {}))
        self.call("POST", f"/rest/workflows/{workflow['id']}/activate", {"versionId": workflow["versionId"]})
        id: str = workflow["id"]
        return id

    def called(self, kept: dict[str, str], parameters: Parameters, **settings: Any) -> str:
        """Activates a workflow that runs the package's action for every item of a call; its id, which is its path."""
        path = str(uuid4())
        hook = _node("Hook", "n8n-nodes-base.webhook", {"path": path, "httpMethod": "POST"})
        split = _node("Split", "n8n-nodes-base.splitOut", {"fieldToSplitOut": "body.items"})
        action = {**_node("Kontor", f"{PACKAGE}.kontor", parameters, kept), **settings}
        workflow = self._workflow({**hook, "webhookId": path}, split, action)
        self.call("POST", f"/rest/workflows/{workflow['id']}/activate", {"versionId": workflow["versionId"]})
        self._paths[workflow["id"]] = path
        id: str = workflow["id"]
        return id

    def give(self, workflow: str, *items: dict[str, Any]) -> Execution:
        """Calls an active workflow with items; the execution that came of it."""
        before = len(self.executions(workflow))
        patience = time.monotonic() + RUN_SECONDS
        while self._http.post(f"/webhook/{self._paths[workflow]}", json={"items": items}).status_code == 404:
            assert time.monotonic() < patience, "the webhook is not registered"  # activation takes its time
            time.sleep(0.2)
        while len(found := self.executions(workflow)) == before:
            assert time.monotonic() < patience, "nothing was executed"
            time.sleep(0.2)
        return found[-1]

    def retry(self, failed: Execution) -> Execution:
        """What "Retry execution" does; the new execution."""
        workflow = self.call("GET", f"/rest/executions/{failed.id}")["workflowId"]
        self.call("POST", f"/rest/executions/{failed.id}/retry", {"loadWorkflow": False})
        return self.executions(workflow)[-1]

    def trouble(self, workflow: str) -> str | None:
        """What n8n shows of a workflow that could not be activated; it tries several times before it says so."""
        shown = self.call("GET", f"/rest/workflows/{workflow}/publication-status")
        return " ".join(one["errorMessage"] for one in shown["triggers"] if one["status"] == "failed") or None

    def kept_data(self, workflow: str) -> dict[str, Any]:
        """What n8n keeps for the nodes of a workflow."""
        kept: dict[str, Any] = self.call("GET", f"/rest/workflows/{workflow}")["staticData"] or {}
        return kept

    def deactivate(self, workflow: str) -> None:
        """Switches a workflow off."""
        self.call("POST", f"/rest/workflows/{workflow}/deactivate", {})

    def executions(self, workflow: str) -> list[Execution]:
        """All that a workflow has executed, the oldest first."""
        found = self.call("GET", "/rest/executions", filter=json.dumps({"workflowId": workflow}))["results"]
        return [self._ended(one["id"]) for one in sorted(found, key=lambda one: int(one["id"]))]

    def _workflow(self, *nodes: dict[str, Any], beside: dict[str, dict[str, Any]] | None = None) -> dict[str, Any]:
        """A workflow of nodes in a row; those `beside` serve the last one, each by the connection it stands under."""
        connections = {
            one["name"]: {"main": [[{"node": next["name"], "type": "main", "index": 0}]]}
            for one, next in pairwise(nodes)
        }
        for type, node in (beside or {}).items():
            connections[node["name"]] = {type: [[{"node": nodes[-1]["name"], "type": type, "index": 0}]]}
        every = [*nodes, *(beside or {}).values()]
        body = {"name": str(uuid4()), "nodes": every, "connections": connections, "settings": {}, "active": False}
        made: dict[str, Any] = self.call("POST", "/rest/workflows", body)
        return made

    def _ended(self, id: str) -> Execution:
        patience = time.monotonic() + RUN_SECONDS
        while time.monotonic() < patience:
            found = self.call("GET", f"/rest/executions/{id}")
            if found["status"] in {"success", "error", "crashed", "canceled"}:
                return Execution(id, found["status"], found["mode"], _unflattened(found["data"])["resultData"])
            time.sleep(0.2)
        raise AssertionError(f"execution {id} has not ended")


def _node(name: str, type: str, parameters: Parameters, kept: dict[str, str] | None = None) -> dict[str, Any]:
    credentials = {"credentials": {CREDENTIAL: kept}} if kept else {}
    place = {"id": str(uuid4()), "name": name, "typeVersion": 1, "position": [0, 0]}
    return {**place, "type": type, "parameters": parameters, **credentials}


def _unflattened(text: str) -> Any:
    """n8n keeps an execution as a list in which every text stands once and is pointed to by its place, as text."""
    flat = json.loads(text)

    def at(place: str) -> Any:
        return inside(flat[int(place)])

    def inside(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: at(one) if isinstance(one, str) else inside(one) for name, one in value.items()}
        if isinstance(value, list):
            return [at(one) if isinstance(one, str) else inside(one) for one in value]
        return value

    return at("0")
