import {
  COST_OBJECTS,
  COST_SOURCES,
  EXCLUSIVE_EMITTERS,
  TIER_SOURCES,
  USAGE_OBJECTS,
  USAGE_SOURCES,
} from '@touchstone/formats/usage'
import {
  AGGREGATE_OPERATIONS,
  CLIENTS,
  FEEDBACK_SOURCES,
  FIELD_SOURCES,
  FIRST_TOKEN_EVENTS,
  FIRST_TOKEN_SOURCES,
  FIRST_TOKEN_TIMES,
  HAYSTACK_TYPES,
  INPUT_SOURCES,
  INVOCATION_PREFIXES,
  KNOWN_NAMESPACES,
  LIVEKIT_NAMES,
  MAX_CUSTOM,
  MAX_CUSTOM_LENGTH,
  MAX_SLOTS,
  METADATA_PREFIXES,
  NAME_SOURCES,
  OUTPUT_SOURCES,
  RUN_TYPE_MARKS,
  RUN_TYPE_SOURCES,
} from '../ingest/otlp/map/index.ts'

/** Rows of a table of the page, and the sections around them; `pages.ts` prints both. */
export type MappingSection =
  | { readonly text: string }
  | { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] }

const code = (text: string) => `\`${text}\``
const codes = (list: readonly string[]) => list.map(code).join(', ')

/** Where each field of `FIELD_SOURCES` is in a run. */
const PLACES: Readonly<Record<keyof typeof FIELD_SOURCES, string>> = {
  project_id: 'the project, by id',
  project_name:
    'the project, by name; before the header `Langsmith-Project`; also `braintrust.parent` with `project_name:NAME`',
  reference_example_id: '`reference_example_id`',
  provider: '`extra.metadata.ls_provider`, in lower case, without the API of the AI SDK (`openai.chat` is `openai`)',
  model: '`extra.metadata.ls_model_name`, the model that has the price',
  requested_model: '`extra.otel.requested_model`, when another model answered',
  thread: '`extra.metadata.thread_id`, on every run of the trace',
  user: '`extra.metadata.user_id`',
  tags: '`tags`',
  prompt_name: '`extra.metadata.prompt_name`; with the hash of a commit `lc_hub_repo` too',
  prompt_version: '`extra.metadata.prompt_version`; the hash of a commit is `lc_hub_commit_hash` too',
  environment: '`extra.metadata.environment`, from the span, else from the resource',
  tools:
    '`extra.invocation_params.tools`, in the form of OpenAI; also `llm.tools.{n}.tool.json_schema`, `llm.request.functions.{n}.*`',
}

const USAGE_PLACES: Readonly<Record<keyof typeof USAGE_SOURCES, string>> = {
  input: 'input_tokens',
  output: 'output_tokens',
  total: 'total_tokens',
  cache_read: 'input_token_details.cache_read',
  cache_creation: 'input_token_details.cache_creation',
  input_audio: 'input_token_details.audio',
  input_image: 'input_token_details.image',
  input_text: 'input_token_details.text',
  reasoning: 'output_token_details.reasoning',
  output_audio: 'output_token_details.audio',
  output_image: 'output_token_details.image',
  output_text: 'output_token_details.text',
}

/** The sections of `docs/reference/opentelemetry-mapping.md`, from the tables that the server maps spans with. */
export function mappingSections(): readonly MappingSection[] {
  return [...typeSections(), ...fieldSections(), ...payloadSections(), ...usageSections(), ...otherSections()]
}

function typeSections(): MappingSection[] {
  const byType = (values: Readonly<Record<string, string>>) => {
    const types = [...new Set(Object.values(values))]
    return types
      .map((type) => {
        const names = Object.keys(values).filter((value) => values[value] === type)
        return `${codes(names)} → ${type}`
      })
      .join('; ')
  }
  return [
    { text: '## Run type\n\nThe first attribute with a known value decides; case does not matter.' },
    {
      head: ['attribute', 'values'],
      rows: [
        ...RUN_TYPE_SOURCES.map(({ attribute, values }) => [code(attribute), byType(values)]),
        ...RUN_TYPE_MARKS.map(({ attributes, type }) => [codes(attributes), `any value → ${type}`]),
        ['`haystack.component.type`', HAYSTACK_TYPES.map(([end, type]) => `\`…${end}\` → ${type}`).join('; ')],
        ['name of a span of LiveKit', byType(LIVEKIT_NAMES)],
        ['a model, and messages or tokens', 'llm'],
        ['none of these', 'chain'],
      ],
    },
  ]
}

function fieldSections(): MappingSection[] {
  const only = { tool: 'for tools', agent: 'for agents', template: 'when the name of the span is a template' }
  return [
    { text: '## Name' },
    {
      head: ['attribute', 'when'],
      rows: [
        ...NAME_SOURCES.map((source) => [
          code(source.attribute),
          source.only === undefined ? 'always' : only[source.only],
        ]),
        ['name of the span', 'otherwise'],
      ],
    },
    { text: '## Fields' },
    {
      head: ['field', 'attributes'],
      rows: Object.entries(FIELD_SOURCES).map(([field, keys]) => [
        PLACES[field as keyof typeof FIELD_SOURCES],
        codes(keys),
      ]),
    },
    {
      text: [
        `Metadata: every key below ${codes(METADATA_PREFIXES)}; the members of \`metadata\` and \`metadata.requester_metadata\`; \`service.name\` and`,
        '`service.version` of the resource; name and version of the scope as `otel_scope`. An earlier source wins.',
        '',
        'Attributes of the program, such as `plan` or `shop.cart.items`, are metadata under their own name: those that no row of this page reads and',
        `whose first segment is none of the namespaces below, up to ${MAX_CUSTOM} per span, when they are numbers, booleans, texts of at most`,
        `${MAX_CUSTOM_LENGTH.toLocaleString('en-US')} characters, or lists of these. The others stay in \`extra.otel.attributes\`.`,
        '',
        `Namespaces of conventions and emitters: ${codes([...KNOWN_NAMESPACES].sort())}.`,
        '',
        `Parameters (\`extra.invocation_params\`): every key below ${codes(INVOCATION_PREFIXES)}; the members of`,
        '`llm.invocation_parameters`, `embedding.invocation_parameters`, `langfuse.observation.model.parameters`; keys of `openai.*` and',
        '`aws.bedrock.*` under these names; `ai.prompt.toolChoice` as `tool_choice`; `stop_sequences` as `stop`.',
      ].join('\n'),
    },
  ]
}

function payloadSections(): MappingSection[] {
  const rows = (sources: typeof INPUT_SOURCES) => sources.map(({ attributes, emitter }) => [codes(attributes), emitter])
  return [
    {
      text: [
        '## Inputs',
        '',
        'Messages become `inputs.messages` in the form of OpenAI: `role`, `content`, `tool_calls`, `tool_call_id`; reasoning is a block of type',
        '`thinking`. `gen_ai.system_instructions` becomes the first message when no message of the system is there. Members without a',
        'place in this form stay beside it. Files in base64 become attachments, with `attachment:NAME` in their place. An empty text, `{}`,',
        '`[]` and messages without content are no value: the next row is tried. A message with calls of tools and their results becomes several, in',
        'the order of its parts. For a tool, its arguments or its result are taken out of the only message.',
      ].join('\n'),
    },
    { head: ['attribute', 'sent by'], rows: rows(INPUT_SOURCES) },
    { text: '## Outputs' },
    { head: ['attribute', 'sent by'], rows: rows(OUTPUT_SOURCES) },
  ]
}

function usageSections(): MappingSection[] {
  return [
    {
      text: [
        '## Tokens',
        '',
        '`langsmith.usage_metadata` is taken as it is; `langfuse.observation.usage_details` adds up; an object of usage is read as its provider',
        `writes it (${USAGE_OBJECTS.map((path) => code(path.join(' → '))).join(', ')}). Otherwise the numbers below become`,
        '`extra.metadata.usage_metadata`, whose totals include cached tokens and reasoning. All numbers are kept in `extra.otel.usage` as they came.',
        `The tiers flex, priority and batch (${codes(TIER_SOURCES)}) have classes of their own, such as \`flex_cache_read\`.`,
      ].join('\n'),
    },
    {
      head: ['number', 'attributes'],
      rows: Object.entries(USAGE_SOURCES).map(([name, keys]) => [
        code(USAGE_PLACES[name as keyof typeof USAGE_SOURCES]),
        codes(keys),
      ]),
    },
    {
      text: [
        'Emitters disagree on whether the input includes cached tokens, and the output its reasoning. A total that is their sum in one way only',
        'decides. These emitters are known to leave cached tokens out of both; so does any emitter whose cached tokens are more than its input.',
        '',
        ...EXCLUSIVE_EMITTERS.map(({ about }) => `- ${about}`),
        '',
        `Only calls of models count. Spans that sum up others (${codes(AGGREGATE_OPERATIONS)}, \`gen_ai.aggregated_usage.*\`, the outer`,
        'spans of the AI SDK, any run that is not of type llm or embedding) have their number in `extra.otel.aggregate_usage`. So do spans',
        'that repeat one below them: with the same operation and name, or with exactly the sum of the tokens below. A run that hangs under another',
        'only because its own parent did not arrive is not below it.',
        '',
        `Spans that repeat a call on their own (${CLIENTS.map(({ name, about }) => `${code(name)} of ${about}`).join('; ')}) do not count beside the`,
        'span of the call in the same trace with the same tokens. Where no such span is in their trace, they count.',
        '`extra.otel.repeats_usage` of a run that repeats another one is `below` or `beside`: where the other one is.',
        '',
        'A reported cost is kept in `extra.otel.reported_cost`. It is the cost of the run where no price is known:',
      ].join('\n'),
    },
    {
      head: ['cost', 'attributes'],
      rows: Object.entries(COST_SOURCES).map(([name, keys]) => [
        name,
        codes([...keys, ...COST_OBJECTS.map((one) => `${one.key} → ${one[name as keyof typeof COST_SOURCES]}`)]),
      ]),
    },
  ]
}

function otherSections(): MappingSection[] {
  return [
    {
      text: [
        '## First token',
        '',
        `${FIRST_TOKEN_SOURCES.map(({ attribute, unit }) => `${code(attribute)} (${unit})`).join(', ')}, ${codes(FIRST_TOKEN_TIMES)} (a time),`,
        `or the first of the events ${codes(FIRST_TOKEN_EVENTS)}.`,
        '',
        '## Errors and events',
        '',
        'The first event `exception` with its stack, else the message of a status of code ERROR, else `error.type`. With status OK a run has no',
        'error. Other events become events of the run as `{name, time, kwargs}`.',
        '',
        '## Feedback',
        '',
        'Events and log records `gen_ai.evaluation.result`, and these lists of OpenInference. A resend overwrites its feedback.',
      ].join('\n'),
    },
    {
      head: ['attributes', 'feedback on the'],
      rows: FEEDBACK_SOURCES.map(({ prefix, entry, target }) => [
        code(`${prefix}.{n}.${entry}.{name,score,label,explanation,identifier}`),
        target,
      ]),
    },
    {
      text: [
        '## What is kept beside',
        '',
        '`extra.otel` has the name, kind, resource, scope, links and trace state of the span, every attribute that no row reads (`attributes`),',
        'what the conventions tell about an answer (`response`), and texts of which a part could not be read (`raw`). Of headers with credentials only',
        'the name is kept.',
        '',
        '## Limits',
        '',
        `Flattened lists are read up to ${MAX_SLOTS.toLocaleString('en-US')} entries, sorted by index; missing entries are named in a warning. JSON texts are parsed`,
        'up to 8 MiB, a million values and 200 levels, at most twice. Of JSON that an exporter cut, the complete messages at its beginning are read. The SDKs drop',
        'attributes beyond 128 per span: raise `OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT` for emitters that send messages as flattened lists.',
        '',
        'Numbers in JSON keep all of their digits. A text is read as JSON when it begins like an object or a list; any other text stays as it is.',
      ].join('\n'),
    },
  ]
}
