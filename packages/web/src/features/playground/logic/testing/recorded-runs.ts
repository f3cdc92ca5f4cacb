import type { ModelMessage, ModelParameters, ModelTool } from '@touchstone/contract'
import type { RecordedCall } from '../from-run.ts'

/** A call in the words of this product; the writers below record it as each client does. */
export interface PlannedCall {
  readonly system: boolean
  readonly image: boolean
  readonly tools: 'none' | 'offered' | 'called'
  readonly schema: boolean
  readonly parameters: ModelParameters
}

export const SYSTEM = 'You are brief. {"json": true} {{not a variable}}'
const QUESTION = 'What is the weather in {city}?'
const IMAGE = 'data:image/png;base64,iVBORw0KGgo='
const ARGUMENTS = { city: 'Zürich', days: 2 }
const CALL = { id: 'call_1', name: 'get_weather' }
const RESULT = '{"degrees": 12}'
const PARAMETERS_SCHEMA = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const SCHEMA = { title: 'answer', type: 'object', properties: { text: { type: 'string' } } }
const DESCRIPTION = 'Weather of a city'

/** 7 clients × 48 calls. */
export function planCalls(): PlannedCall[] {
  const flags = [true, false]
  const settings: ModelParameters[] = [{}, { temperature: 0.2, max_tokens: 300, top_p: 0.9 }]
  return flags.flatMap((system) =>
    flags.flatMap((image) =>
      (['none', 'offered', 'called'] as const).flatMap((tools) =>
        flags.flatMap((schema) => settings.map((parameters) => ({ system, image, tools, schema, parameters }))),
      ),
    ),
  )
}

/** What every client meant. */
export function expectedOf({ system, image, tools, schema, parameters }: PlannedCall) {
  const question: ModelMessage = {
    role: 'user',
    content: image
      ? [
          { type: 'text', text: QUESTION },
          { type: 'image_url', image_url: { url: IMAGE } },
        ]
      : QUESTION,
  }
  const round: ModelMessage[] = [
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: CALL.id, type: 'function', function: { name: CALL.name, arguments: JSON.stringify(ARGUMENTS) } },
      ],
    },
    { role: 'tool', tool_call_id: CALL.id, content: RESULT },
  ]
  const tool: ModelTool = {
    type: 'function',
    function: { name: CALL.name, description: DESCRIPTION, parameters: PARAMETERS_SCHEMA },
  }
  return {
    messages: [
      ...(system ? [{ role: 'system' as const, content: SYSTEM }] : []),
      question,
      ...(tools === 'called' ? round : []),
    ],
    tools: tools === 'none' ? [] : [tool],
    output: schema ? { name: 'answer', schema: SCHEMA } : undefined,
    parameters,
  }
}

type Fields = Record<string, unknown>
const functionTool = { name: CALL.name, description: DESCRIPTION, parameters: PARAMETERS_SCHEMA }
const openAiTool = { type: 'function', function: functionTool }
const openAiCall = {
  id: CALL.id,
  type: 'function',
  function: { name: CALL.name, arguments: JSON.stringify(ARGUMENTS) },
}
const lc = (name: string, kwargs: object) => ({
  lc: 1,
  type: 'constructor',
  id: ['langchain_core', 'messages', name],
  kwargs,
})
const openAiFormat = { type: 'json_schema', json_schema: { name: 'answer', schema: SCHEMA, strict: true } }

function chatParts(image: boolean): unknown {
  return image
    ? [
        { type: 'text', text: QUESTION },
        { type: 'image_url', image_url: { url: IMAGE } },
      ]
    : QUESTION
}

function chatMessages({ system, image, tools }: PlannedCall): Fields[] {
  return [
    ...(system ? [{ role: 'system', content: SYSTEM }] : []),
    { role: 'user', content: chatParts(image) },
    ...(tools === 'called'
      ? [
          { role: 'assistant', content: null, tool_calls: [openAiCall], refusal: null },
          { role: 'tool', tool_call_id: CALL.id, content: RESULT },
        ]
      : []),
  ]
}

/** Clients and how they record a call. */
export const CLIENTS: Readonly<Record<string, (call: PlannedCall) => RecordedCall>> = {
  'OpenAI chat': (call) => ({
    inputs: {
      model: 'gpt-4o',
      messages: chatMessages(call),
      ...(call.tools !== 'none' && { tools: [openAiTool], tool_choice: 'auto' }),
      ...(call.schema && { response_format: openAiFormat }),
      ...call.parameters,
    },
    extra: { metadata: { ls_provider: 'openai', ls_model_name: 'gpt-4o' }, invocation_params: call.parameters },
  }),
  'OpenAI responses': ({ system, image, tools, schema, parameters: { max_tokens, ...parameters } }) => ({
    inputs: {
      model: 'gpt-4o',
      ...(system && { instructions: SYSTEM }),
      input: [
        {
          role: 'user',
          content: image
            ? [
                { type: 'input_text', text: QUESTION },
                { type: 'input_image', image_url: IMAGE, detail: 'auto' },
              ]
            : QUESTION,
        },
        ...(tools === 'called'
          ? [
              { type: 'function_call', call_id: CALL.id, name: CALL.name, arguments: JSON.stringify(ARGUMENTS) },
              { type: 'function_call_output', call_id: CALL.id, output: RESULT },
            ]
          : []),
      ],
      ...(tools !== 'none' && { tools: [{ type: 'function', ...functionTool }], tool_choice: 'auto' }),
      ...(schema && { text: { format: { type: 'json_schema', name: 'answer', schema: SCHEMA, strict: true } } }),
      ...(max_tokens != null && { max_output_tokens: max_tokens }),
      ...parameters,
    },
    extra: {},
  }),
  Anthropic: ({ system, image, tools, schema, parameters }) => ({
    inputs: {
      model: 'claude-sonnet-4-5',
      ...(system && { system: [{ type: 'text', text: SYSTEM }] }),
      messages: [
        {
          role: 'user',
          content: image
            ? [
                { type: 'text', text: QUESTION },
                { type: 'image', source: { type: 'base64', media_type: 'image/png', data: IMAGE.split(',')[1] } },
              ]
            : QUESTION,
        },
        ...(tools === 'called'
          ? [
              { role: 'assistant', content: [{ type: 'tool_use', ...CALL, input: ARGUMENTS }] },
              { role: 'user', content: [{ type: 'tool_result', tool_use_id: CALL.id, content: RESULT }] },
            ]
          : []),
      ],
      ...(tools !== 'none' && {
        tools: [{ name: CALL.name, description: DESCRIPTION, input_schema: PARAMETERS_SCHEMA }],
        tool_choice: { type: 'auto' },
      }),
      ...(schema && { output_config: { format: { type: 'json_schema', schema: SCHEMA } } }),
      ...parameters,
    },
    extra: { metadata: { ls_provider: 'anthropic' } },
  }),
  Gemini: ({ system, image, tools, schema, parameters: { max_tokens, top_p, temperature } }) => ({
    inputs: {
      model: 'gemini-2.5-flash',
      ...(system && { systemInstruction: { parts: [{ text: SYSTEM }] } }),
      contents: [
        {
          role: 'user',
          parts: [
            { text: QUESTION },
            ...(image ? [{ inlineData: { mimeType: 'image/png', data: IMAGE.split(',')[1] } }] : []),
          ],
        },
        ...(tools === 'called'
          ? [
              { role: 'model', parts: [{ functionCall: { id: CALL.id, name: CALL.name, args: ARGUMENTS } }] },
              {
                role: 'user',
                parts: [{ functionResponse: { id: CALL.id, name: CALL.name, response: { output: RESULT } } }],
              },
            ]
          : []),
      ],
      ...(tools !== 'none' && {
        tools: [{ functionDeclarations: [functionTool] }],
        toolConfig: { functionCallingConfig: { mode: 'AUTO' } },
      }),
      generationConfig: {
        ...(temperature != null && { temperature }),
        ...(top_p != null && { topP: top_p }),
        ...(max_tokens != null && { maxOutputTokens: max_tokens }),
        ...(schema && { responseMimeType: 'application/json', responseSchema: SCHEMA }),
      },
    },
    extra: {},
  }),
  LangChain: (call) => ({
    inputs: { messages: [langChainMessages(call)] },
    extra: {
      metadata: { ls_provider: 'openai', ls_model_type: 'chat' },
      invocation_params: {
        _type: 'openai-chat',
        model: 'gpt-4o',
        model_name: 'gpt-4o',
        stream: false,
        stop: null,
        ...(call.tools !== 'none' && { tools: [openAiTool], tool_choice: 'auto' }),
        ...(call.schema && { response_format: openAiFormat }),
        ...call.parameters,
      },
    },
  }),
  'LangChain stored': (call) => ({
    inputs: {
      messages: langChainMessages(call).map(({ id, kwargs }) => ({
        type: { SystemMessage: 'system', HumanMessage: 'human', AIMessage: 'ai', ToolMessage: 'tool' }[String(id[2])],
        data: kwargs,
      })),
    },
    extra: CLIENTS.LangChain?.(call).extra,
  }),
  'AI SDK': ({ system, image, tools, schema, parameters: { max_tokens, top_p, temperature } }) => ({
    inputs: {
      model: 'gpt-4o',
      ...(system && { system: SYSTEM }),
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: QUESTION },
            ...(image ? [{ type: 'file', mediaType: 'image/png', data: IMAGE.split(',')[1] }] : []),
          ],
        },
        ...(tools === 'called'
          ? [
              {
                role: 'assistant',
                content: [{ type: 'tool-call', toolCallId: CALL.id, toolName: CALL.name, input: ARGUMENTS }],
              },
              {
                role: 'tool',
                content: [
                  {
                    type: 'tool-result',
                    toolCallId: CALL.id,
                    toolName: CALL.name,
                    output: { type: 'text', value: RESULT },
                  },
                ],
              },
            ]
          : []),
      ],
      ...(tools !== 'none' && {
        tools: { [CALL.name]: { description: DESCRIPTION, inputSchema: { jsonSchema: PARAMETERS_SCHEMA } } },
        toolChoice: { type: 'auto' },
      }),
      ...(schema && { responseFormat: { type: 'json', name: 'answer', schema: SCHEMA } }),
      ...(temperature != null && { temperature }),
      ...(top_p != null && { topP: top_p }),
      ...(max_tokens != null && { maxOutputTokens: max_tokens }),
    },
    extra: {},
  }),
}

function langChainMessages({ system, image, tools }: PlannedCall) {
  const record = { additional_kwargs: {}, response_metadata: {} }
  return [
    ...(system ? [lc('SystemMessage', { content: SYSTEM, type: 'system', ...record })] : []),
    lc('HumanMessage', { content: chatParts(image), type: 'human', ...record }),
    ...(tools === 'called'
      ? [
          lc('AIMessage', {
            content: '',
            type: 'ai',
            id: 'run-1',
            tool_calls: [{ name: CALL.name, args: ARGUMENTS, id: CALL.id, type: 'tool_call' }],
            invalid_tool_calls: [],
            ...record,
            additional_kwargs: { tool_calls: [openAiCall] },
          }),
          lc('ToolMessage', {
            content: RESULT,
            type: 'tool',
            tool_call_id: CALL.id,
            name: CALL.name,
            status: 'success',
          }),
        ]
      : []),
  ]
}
