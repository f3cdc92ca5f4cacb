import { Digits } from '@touchstone/formats/exact-json'
import { isSafeKey } from './attributes.ts'

/**
 * First segments of the attributes of conventions and emitters: the registry of OpenTelemetry, what instrumentations of HTTP,
 * databases and clouds send, and the emitters of this folder. `app` is free, because programs use it for attributes of their own.
 */
export const KNOWN_NAMESPACES: ReadonlySet<string> = new Set(
  [
    'android artifact aspnetcore aws az azure browser cassandra cicd client cloud cloudevents cloudfoundry code',
    'component container cpu cpython db deployment destination device disk dns dotnet elasticsearch enduser error event',
    'exception faas feature_flag file gcp gen_ai geo go graphql grpc hardware heroku host http hw ios jsonrpc jvm k8s',
    'linux log mainframe mcp message messaging net network nfs nodejs oci onc_rpc openai openshift opentracing oracle_cloud',
    'oracledb os otel peer pprof process profile redis rpc security_rule server service session signalr source span',
    'system telemetry test thread tls url user user_agent v8js vcs webengine zos',
    'ag2 agent ai all_messages_events annotations anthropic audio autogen braintrust choice completion crew crewai document documents',
    'embedding evaluations event_loop events final_result genkit graph haystack hidden_params image input inputs langchain langfuse langgraph',
    'langsmith litellm livekit lk llm lmnr logfire mastra metadata mlflow model model_name model_request_parameters openclaw',
    'openinference opencode operation opik output outputs prompt pydantic_ai request request_data reranker response',
    'response_data retrieval sentry strands tag task tool tool_arguments tool_call tool_response tools trace traceloop',
    'usage vertex video weave dd newrelic',
  ].flatMap((line) => line.split(' ')),
)

/** Attributes of one span that become metadata. */
export const MAX_CUSTOM = 64
/** Characters of a text; longer ones are payloads. */
export const MAX_CUSTOM_LENGTH = 1_000
const MAX_ENTRIES = 100

/**
 * Whether an attribute that no row reads belongs to the program: its namespace is no known one, and its value is short.
 *
 * @param key  such as `plan` or `shop.cart.items`
 */
export function isCustom(key: string, value: unknown): boolean {
  const namespace = toNamespace(key)
  return namespace !== '' && !KNOWN_NAMESPACES.has(namespace) && isSafeKey(key) && isShort(value)
}

function toNamespace(key: string): string {
  const dot = key.indexOf('.')
  const start = dot === -1 ? key : key.slice(0, dot)
  const colon = start.indexOf(':')
  return colon === -1 ? start : start.slice(0, colon)
}

function isShort(value: unknown): boolean {
  if (Array.isArray(value))
    return value.length <= MAX_ENTRIES && value.every((one) => !Array.isArray(one) && isShort(one))
  if (typeof value === 'string') return value.length <= MAX_CUSTOM_LENGTH
  return typeof value === 'number' || typeof value === 'boolean' || value instanceof Digits
}
