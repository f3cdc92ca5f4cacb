import { asRecord } from '@touchstone/formats/guards'
import { mayReferToMedia } from '@touchstone/formats/messages'
import type { JsonObject, MappedSpan } from '../mapped-span.ts'
import type { OtlpEvent, OtlpResource, OtlpScope, OtlpSpan } from '../span.ts'
import { isAggregate } from './aggregates.ts'
import { addPresent, omit, present, SpanAttributes, toText } from './attributes.ts'
import { isCustom, MAX_CUSTOM } from './custom-attributes.ts'
import { readError, readEvents, readFeedback } from './events.ts'
import {
  FIELD_SOURCES,
  readInvocation,
  readMetadata,
  readModel,
  readName,
  readProjectName,
  readPromptLink,
  readProvider,
  readTags,
} from './fields.ts'
import { MediaCollector } from './media.ts'
import { readPayloads } from './payloads.ts'
import { findRunType, type RunTypeFound } from './run-type.ts'
import { type MappedUsage, mapUsage } from './usage.ts'

/**
 * Maps a span onto the fields of a run, by the tables of this folder: `run-type.ts`, `payloads.ts`, `fields.ts`, `usage.ts`,
 * `events.ts`. Never fails: what cannot be read is kept as it came.
 *
 * @param logs  log records that carry the ids of the span; they count as its events
 */
export function mapSpan(span: OtlpSpan, logs: readonly OtlpEvent[] = []): MappedSpan {
  const attributes = new SpanAttributes(span.attributes)
  const media = new MediaCollector(span)
  const events = [...span.events, ...logs]
  const found = findRunType(span, attributes)
  const { inputs, outputs } = readPayloads({ span, attributes, events, runType: found.type, media })
  attachNamed(attributes, media)
  const thread = attributes.firstText(FIELD_SOURCES.thread)
  const mapped = {
    name: readName(span, attributes, found.type),
    runType: found.type,
    inputs,
    outputs,
    events: readEvents(span, attributes, logs),
    error: readError(span, attributes, logs),
    tags: readTags(attributes),
    sessionId: attributes.firstText(FIELD_SOURCES.project_id),
    sessionName: readProjectName(attributes),
    referenceExampleId: attributes.firstText(FIELD_SOURCES.reference_example_id),
    ids: readIds(attributes),
    thread,
    feedback: readFeedback(span, attributes, logs),
    // The last one that reads: it keeps what no other has read.
    extra: readExtra(span, attributes, found, thread),
    attachments: media.attachments,
    hasUploads: media.hasUploads || Object.values(span.attributes).some(mayRefer),
    warnings: droppedWarnings(span),
  }
  mapped.warnings.push(...attributes.warnings)
  return mapped
}

/** Whether a text has a reference of the Langfuse SDKs. */
const mayRefer = (value: unknown) => typeof value === 'string' && mayReferToMedia(value)

function readIds(attributes: SpanAttributes): MappedSpan['ids'] {
  const isRoot = attributes.get('langsmith.is_root')
  return {
    ...present({
      runId: attributes.text('langsmith.span.id'),
      traceId: attributes.text('langsmith.trace.id'),
      parentRunId: attributes.text('langsmith.span.parent_id'),
      dottedOrder: attributes.text('langsmith.span.dotted_order'),
    }),
    isRoot: isRoot === true || isRoot === 'true',
  }
}

/** `langsmith.attachments`: a list of files with a name each. */
function attachNamed(attributes: SpanAttributes, media: MediaCollector): void {
  for (const one of attributes.list('langsmith.attachments') ?? []) {
    const file = asRecord(one)
    const [name, content] = [toText(file?.name), file?.content]
    if (name === undefined || typeof content !== 'string') continue
    media.add(name, toText(file?.mime_type) ?? 'application/octet-stream', Buffer.from(content, 'base64'))
  }
}

/** Attributes that describe the transport and are no part of a run. */
const INTERNAL = [
  'langsmith.request.streaming',
  'langsmith.request.headers',
  'langsmith.traceable',
  'langsmith.traceable_parent_otel_span_id',
  'langsmith.is_root',
  'logfire.json_schema',
  'logfire.span_type',
  'logfire.msg',
  'input.mime_type',
  'output.mime_type',
  'langfuse.internal.as_root',
  'langfuse.internal.is_app_root',
] as const

function readExtra(
  span: OtlpSpan,
  attributes: SpanAttributes,
  found: RunTypeFound,
  thread: string | undefined,
): JsonObject {
  const usage = mapUsage(span, attributes)
  const prompt = readPromptLink(attributes)
  const isSum = isAggregate(attributes, found.type) && !hasOwnCost(usage.usage)
  const metadata = readMetadata(span, attributes)
  addPresent(metadata, {
    ls_provider: readProvider(attributes),
    ls_model_name: readModel(attributes),
    ls_span_kind: found.kind,
    thread_id: thread,
    prompt_name: prompt?.name,
    prompt_version: prompt?.version,
    usage_metadata: isSum ? undefined : usage.usage,
    OTEL_TRACE_ID: span.traceId,
    OTEL_SPAN_ID: span.spanId,
  })
  linkCommit(metadata, prompt)
  const runtime = attributes.object('langsmith.span.runtime')
  const invocation = readInvocation(attributes)
  for (const key of INTERNAL) attributes.get(key)
  const extra: Record<string, unknown> = { metadata }
  addPresent(extra, { invocation_params: invocation, runtime })
  extra.otel = readOtel(span, attributes, { usage, prompt, isSum, metadata })
  return extra
}

/** A cost in the form of LangSmith counts for a run of any type, such as a tool that is paid per call. */
function hasOwnCost(usage: JsonObject | undefined): boolean {
  return ['input_cost', 'output_cost', 'total_cost'].some((key) => usage?.[key] !== undefined)
}

/** A version that is the hash of a commit links the run to it; the version numbers of other products stay in `otel.prompt`. */
function linkCommit(metadata: Record<string, unknown>, prompt: JsonObject | undefined): void {
  const version = prompt?.version
  if (typeof version !== 'string' || !/^[0-9a-f]{8,64}$/i.test(version)) return
  metadata.lc_hub_repo = prompt?.name
  metadata.lc_hub_commit_hash = version
}

/** Moves attributes of the program to the metadata. @returns the attributes that no row reads, without these */
function takeCustom(attributes: SpanAttributes, metadata: Record<string, unknown>): JsonObject {
  const unused = attributes.unused()
  const custom = Object.keys(unused).filter((key) => !Object.hasOwn(metadata, key) && isCustom(key, unused[key]))
  const taken = custom.slice(0, MAX_CUSTOM)
  for (const key of taken) metadata[key] = unused[key]
  return taken.length === 0 ? unused : omit(unused, taken)
}

interface OtelParts {
  readonly usage: MappedUsage
  readonly prompt: JsonObject | undefined
  readonly isSum: boolean
  /** The metadata of the run, which attributes of the program are added to. */
  readonly metadata: Record<string, unknown>
}

/** What has no field of its own, and what a later version needs to map the span again. */
function readOtel(
  span: OtlpSpan,
  attributes: SpanAttributes,
  { usage, prompt, isSum, metadata }: OtelParts,
): JsonObject {
  const { resource, scope } = span
  const requested = attributes.firstText(FIELD_SOURCES.requested_model)
  const answered = readModel(attributes)
  const links = span.links.map(({ traceId, spanId, traceState, attributes: own }) => ({
    trace_id: traceId,
    span_id: spanId,
    ...present({ trace_state: traceState || undefined, attributes: nonEmpty(own) }),
  }))
  const operation = attributes.text('gen_ai.operation.name') ?? attributes.text('ai.operationId')
  const response = readResponse(attributes)
  const unread = takeCustom(attributes, metadata)
  return present({
    span_name: span.name,
    kind: span.kind,
    operation,
    // A model that answered for another has its own price.
    requested_model: requested === answered ? undefined : requested,
    scope: once(SCOPES, scope, readScope),
    resource: once(RESOURCES, resource, readResource),
    links: links.length === 0 ? undefined : links,
    trace_state: span.traceState || undefined,
    usage: usage.raw,
    aggregate_usage: isSum ? usage.usage : undefined,
    reported_cost: usage.reportedCost,
    prompt,
    response: nonEmpty(response),
    attributes: nonEmpty(unread),
    raw: nonEmpty(attributes.raw),
    dropped_attributes: span.droppedAttributes || undefined,
    dropped_events: span.droppedEvents || undefined,
    dropped_links: span.droppedLinks || undefined,
  })
}

type Mapped = { readonly json: JsonObject | undefined }

/** All spans of a scope or a resource have the same object. */
const SCOPES = new WeakMap<OtlpScope, Mapped>()
const RESOURCES = new WeakMap<OtlpResource, Mapped>()

function once<Source extends object>(
  known: WeakMap<Source, Mapped>,
  source: Source,
  read: (source: Source) => JsonObject | undefined,
): JsonObject | undefined {
  const found = known.get(source)
  if (found !== undefined) return found.json
  const json = read(source)
  known.set(source, { json })
  return json
}

function readScope({ name, version, schemaUrl, attributes }: OtlpScope): JsonObject | undefined {
  const texts = { name: name || undefined, version: version || undefined, schema_url: schemaUrl || undefined }
  return nonEmpty(present({ ...texts, attributes: nonEmpty(attributes) }))
}

function readResource({ attributes, schemaUrl }: OtlpResource): JsonObject | undefined {
  return nonEmpty(present({ attributes: nonEmpty(attributes), schema_url: schemaUrl || undefined }))
}

/** What the conventions tell about the answer beside its messages: id, finish reasons, tier. */
function readResponse(attributes: SpanAttributes): JsonObject {
  const metadata = attributes.json('ai.response.providerMetadata')
  return { ...Object.fromEntries(attributes.below('gen_ai.response')), ...present({ provider_metadata: metadata }) }
}

function nonEmpty(object: JsonObject): JsonObject | undefined {
  return Object.keys(object).length === 0 ? undefined : { ...object }
}

function droppedWarnings({ droppedAttributes, droppedEvents, droppedLinks }: OtlpSpan): string[] {
  const warn = (count: number, what: string, setting: string) =>
    count > 0 ? [`The exporter dropped ${count} ${what} of this span: raise ${setting}.`] : []
  return [
    ...warn(droppedAttributes, 'attributes', 'OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT'),
    ...warn(droppedEvents, 'events', 'OTEL_SPAN_EVENT_COUNT_LIMIT'),
    ...warn(droppedLinks, 'links', 'OTEL_SPAN_LINK_COUNT_LIMIT'),
  ]
}
