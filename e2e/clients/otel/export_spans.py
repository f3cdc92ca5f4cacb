"""Exports the same spans as export-spans.mjs: `python export_spans.py http|grpc`, with the same variables."""

import json
import os
import sys

from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExportResult
from opentelemetry.sdk.trace.id_generator import IdGenerator
from opentelemetry.trace import Link, SpanContext, SpanKind, Status, StatusCode, TraceFlags

TRACE_ID = os.environ["TRACE_ID"]
URL = os.environ["OTLP_URL"]
HEADERS = {"x-api-key": "any", "langsmith-project": os.environ["PROJECT"]}
IS_GZIP = os.environ.get("COMPRESSION") == "gzip"


def new_exporter(kind):
    if kind == "grpc":
        import grpc
        from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter

        compression = grpc.Compression.Gzip if IS_GZIP else grpc.Compression.NoCompression
        return OTLPSpanExporter(endpoint=URL, headers=HEADERS, insecure=True, compression=compression)
    from opentelemetry.exporter.otlp.proto.http import Compression
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    return OTLPSpanExporter(endpoint=URL, headers=HEADERS, compression=Compression.Gzip if IS_GZIP else None)


class GivenIds(IdGenerator):
    spans = 0

    def generate_trace_id(self):
        return int(TRACE_ID, 16)

    def generate_span_id(self):
        self.spans += 1
        return int(f"{TRACE_ID[:14]}0{self.spans}", 16)


def at(after_ms):
    return 1_793_534_400_000_000_000 + after_ms * 1_000_000


def messages(role, content):
    return json.dumps([{"role": role, "parts": [{"type": "text", "content": content}]}])


exporter = new_exporter(sys.argv[1])
results = []
send = exporter.export
exporter.export = lambda spans: results.append(send(spans)) or results[-1]
resource = Resource({"service.name": "shop", "deployment.environment.name": "test"})
provider = TracerProvider(id_generator=GivenIds(), resource=resource)
provider.add_span_processor(SimpleSpanProcessor(exporter))
tracer = provider.get_tracer("test", "1.2.3")

root = tracer.start_span("answer", start_time=at(0), attributes={"input.value": "Grüße 😀"})
parent = trace.set_span_in_context(root)
chat = tracer.start_span(
    "chat fake-model",
    context=parent,
    kind=SpanKind.CLIENT,
    start_time=at(100),
    attributes={
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "fake-model",
        "gen_ai.request.temperature": 0.5,
        "gen_ai.request.stop_sequences": ["END", "STOP"],
        "gen_ai.input.messages": messages("user", "Hi"),
        "gen_ai.output.messages": messages("assistant", "Hello"),
        "gen_ai.usage.input_tokens": 12,
        "gen_ai.usage.output_tokens": 3,
        "streamed": True,
        "large": 9007199254740991,
    },
)
chat.add_event("first", {"index": 1, "text": "a"}, timestamp=at(200))
chat.end(at(300))
asked = SpanContext(int(TRACE_ID, 16), chat.get_span_context().span_id, False, TraceFlags(1))
tool = tracer.start_span(
    "execute_tool",
    context=parent,
    start_time=at(400),
    attributes={"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "weather"},
    links=[Link(asked, {"why": "asked"})],
)
tool.set_status(Status(StatusCode.ERROR, "no weather"))
tool.end(at(500))
root.end(at(900))
provider.shutdown()
if results != [SpanExportResult.SUCCESS] * 3:
    raise SystemExit(f"the exporter failed: {results}")
