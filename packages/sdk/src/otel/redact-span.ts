import type { KVMap } from '../schemas.ts'
import { type Redaction, redact } from '../tracing/redact.ts'
import type { ReadableSpan } from './span.ts'

/** Attributes of the known conventions that have what a model or a tool was given, and what it answered. */
const INPUTS =
  /^(gen_ai\.(prompt(?!\.(name|version)$)|input\.messages|system_instructions|tool\.(call\.arguments|definitions)|retrieval\.query)|llm\.(input_messages|prompts|prompt_template|tools|request\.functions)|input\.value|ai\.(prompt|toolCall\.(args|input)|value)|traceloop\.entity\.input|langfuse\.(observation|trace)\.input|mlflow\.spanInputs|gcp\.vertex\.agent\.(llm_request|tool_call_args)|tool_arguments|tool\.parameters|pydantic_ai\.all_messages|prompt$|input$)/
const OUTPUTS =
  /^(gen_ai\.(completion|output\.messages|tool\.call\.result|retrieval\.documents)|llm\.(output_messages|choices)|output\.value|ai\.(response\.(text|toolCalls|object|reasoning)|toolCall\.(result|output)|embedding)|traceloop\.entity\.output|langfuse\.(observation|trace)\.output|mlflow\.spanOutputs|gcp\.vertex\.agent\.(llm_response|tool_response)|tool_response|retrieval\.documents|final_result$|all_messages_events|output$)/
const METADATA =
  /^(langsmith\.metadata\.|metadata|ai\.telemetry\.metadata\.|ai\.settings\.context\.|langfuse\.(trace|observation)\.metadata|traceloop\.association\.properties\.)/

/**
 * A span whose attributes went through the rules of the client: those with inputs, outputs and metadata through the rule of
 * each, as an object of the attributes. Events have messages in some conventions, so a rule for inputs or outputs applies to
 * their attributes too.
 */
export async function redactSpan(span: ReadableSpan, rules: Redaction): Promise<ReadableSpan> {
  if (!rules.inputs && !rules.outputs && !rules.metadata && !rules.error) return span
  const attributes = await redactAttributes(span.attributes, rules)
  const events = await Promise.all(
    span.events.map(async (event) => ({ ...event, attributes: await redactEvent(event, rules) })),
  )
  const { message } = span.status
  const error = message === undefined ? undefined : (await redact({ ...EMPTY, error: message }, rules)).error
  const status = { ...span.status, ...(error !== undefined && { message: error }) }
  return Object.create(span, {
    attributes: { value: attributes },
    events: { value: events },
    status: { value: status },
  }) as ReadableSpan
}

const EMPTY = { name: '', run_type: '', inputs: {} }

async function redactAttributes(attributes: KVMap, rules: Redaction): Promise<KVMap> {
  const parts = { inputs: {} as KVMap, outputs: {} as KVMap, metadata: {} as KVMap, rest: {} as KVMap }
  for (const [key, value] of Object.entries(attributes)) {
    const part = INPUTS.test(key) ? 'inputs' : OUTPUTS.test(key) ? 'outputs' : METADATA.test(key) ? 'metadata' : 'rest'
    parts[part][key] = value
  }
  const { inputs, outputs, metadata, rest } = parts
  const redacted = await redact({ ...EMPTY, inputs, outputs, extra: { metadata } }, rules)
  return { ...rest, ...redacted.inputs, ...redacted.outputs, ...(redacted.extra?.metadata as KVMap | undefined) }
}

/** An exception is an error, not an input. */
async function redactEvent(
  { name, attributes = {} }: ReadableSpan['events'][number],
  rules: Redaction,
): Promise<KVMap> {
  const rule = name === 'exception' ? (rules.error ?? false) : rules.inputs || rules.outputs
  const redacted = await redact({ ...EMPTY, inputs: attributes }, { ...rules, inputs: rule })
  return redacted.inputs ?? {}
}
