import { MODEL_PROVIDER_KIND_NAMES, type ModelCall, type ModelFinishReason, type ModelTool } from '@touchstone/contract'
import { type JsonRecord, member, memberAt } from '@touchstone/formats/guards'
import { joinGeminiCalls, writeGemini } from '@touchstone/formats/messages'
import { readModelMessages } from './read-model-messages.ts'
import {
  addExtraBody,
  type Delta,
  nameParameters,
  toCount,
  toList,
  toWord,
  type Wire,
  type WireReader,
} from './wire.ts'

/** Google's Gemini. */
export const gemini: Wire = {
  name: MODEL_PROVIDER_KIND_NAMES.gemini,
  build(call, stream) {
    const { fields, sent, unsent } = nameParameters(call, {
      temperature: 'temperature',
      top_p: 'topP',
      top_k: 'topK',
      frequency_penalty: 'frequencyPenalty',
      presence_penalty: 'presencePenalty',
      seed: 'seed',
      stop: 'stopSequences',
      max_tokens: 'maxOutputTokens',
    })
    const thinking = toThinking(call, sent)
    const generationConfig = { ...fields, ...thinking, ...toFormat(call) }
    const { system, contents } = writeGemini(readModelMessages(call.messages, { signer: 'gemini' }), { hasIds: false })
    const body = {
      ...(system.length > 0 && { systemInstruction: { parts: system } }),
      contents,
      ...(Object.keys(generationConfig).length > 0 && { generationConfig }),
      ...toTools(call),
    }
    const method = stream ? 'streamGenerateContent?alt=sse' : 'generateContent'
    return {
      path: `/${toModelPath(call.model)}:${method}`,
      body: addExtraBody(body, call.extra_body, sent),
      sent,
      unsent: unsent.filter((name) => name !== 'reasoning_effort' && name !== 'reasoning_budget'),
    }
  },
  createReader: (call) => createReader(call.messages.length),
  modelsQuery: 'pageSize=1000',
  readModels(answer) {
    const models = member(answer, 'models')
    if (!Array.isArray(models)) return undefined
    return models.flatMap((model) => toWord(member(model, 'name'))?.replace(/^models\//, '') ?? [])
  },
}

/** `gemini-x` and `models/gemini-x` are the same model; `tunedModels/x` is another kind. */
function toModelPath(model: string): string {
  const path = model.includes('/') ? model : `models/${model}`
  return path.split('/').map(encodeSegment).join('/')
}

/** URLs drop segments of dots, also encoded ones. Encoded twice, they reach the provider, which knows no such model. */
function encodeSegment(segment: string): string {
  return /^\.{1,2}$/.test(segment) ? '%252E'.repeat(segment.length) : encodeURIComponent(segment)
}

function toThinking({ parameters }: ModelCall, sent: Map<string, string>): JsonRecord {
  const { reasoning_effort: level, reasoning_budget: budget } = parameters ?? {}
  if (level == null && budget == null) return {}
  if (level != null) sent.set('thinkingLevel', 'reasoning_effort').set('thinking_level', 'reasoning_effort')
  if (budget != null) sent.set('thinkingBudget', 'reasoning_budget').set('thinking_budget', 'reasoning_budget')
  return {
    thinkingConfig: {
      includeThoughts: true,
      ...(level != null && { thinkingLevel: level }),
      ...(budget != null && { thinkingBudget: budget }),
    },
  }
}

function toFormat({ output_schema: format }: ModelCall): JsonRecord {
  return format == null ? {} : { responseMimeType: 'application/json', responseJsonSchema: format.schema }
}

function toTools({ tools, tool_choice: choice }: ModelCall): JsonRecord {
  if (tools == null || tools.length === 0) return {}
  const functions = tools.flatMap((tool) => (tool.type === 'function' ? [toFunction(tool)] : []))
  const raw = tools.flatMap((tool) => (tool.type === 'raw' ? [tool.raw] : []))
  return {
    tools: [...(functions.length > 0 ? [{ functionDeclarations: functions }] : []), ...raw],
    ...(choice != null && { toolConfig: { functionCallingConfig: toMode(choice) } }),
  }
}

function toFunction({
  function: { name, description, parameters },
}: Extract<ModelTool, { type: 'function' }>): JsonRecord {
  return {
    name,
    ...(description != null && { description }),
    ...(parameters != null && { parametersJsonSchema: parameters }),
  }
}

function toMode(choice: NonNullable<ModelCall['tool_choice']>): JsonRecord {
  if (typeof choice !== 'string') return { mode: 'ANY', allowedFunctionNames: [choice.name] }
  return { mode: { auto: 'AUTO', none: 'NONE', required: 'ANY' }[choice] }
}

/** @param turn  makes the ids of calls, which Gemini does not name, unique in the conversation */
function createReader(turn: number): WireReader {
  let calls = 0
  /** Parts of a call whose arguments are streamed. */
  let open: unknown[] = []

  function readPart(part: unknown): Delta[] {
    const piece = member(part, 'functionCall')
    if (piece !== undefined) {
      open.push(part)
      return member(piece, 'willContinue') === true ? [] : readOpenCalls()
    }
    const text = toWord(member(part, 'text'))
    if (text === undefined) return []
    return [{ type: member(part, 'thought') === true ? 'reasoning' : 'text', text }]
  }

  function readOpenCalls(): Delta[] {
    const joined = joinGeminiCalls(open)
    open = []
    return joined.map((part) => {
      const signature = toWord(member(part, 'thoughtSignature'))
      const called = member(part, 'functionCall')
      const index = calls++
      const id = toWord(member(called, 'id')) ?? `call_${turn}_${index}`
      const name = toWord(member(called, 'name'))
      const text = JSON.stringify(member(called, 'args') ?? {})
      return { type: 'tool_call', index, id, ...(name && { name }), arguments: text, ...(signature && { signature }) }
    })
  }

  function readEvent(chunk: unknown): Delta[] {
    if (member(chunk, 'error') != null) return [{ type: 'error', error: chunk }]
    const candidate = toList(member(chunk, 'candidates'))[0]
    const parts = toList(memberAt(candidate, 'content', 'parts')).flatMap(readPart)
    const model = toWord(member(chunk, 'modelVersion'))
    const usage = member(chunk, 'usageMetadata')
    const finish = toWord(member(candidate, 'finishReason'))
    const blocked = toWord(memberAt(chunk, 'promptFeedback', 'blockReason'))
    // A response that ends at its limit of tokens may end inside a call.
    const cut = finish === undefined ? [] : readOpenCalls()
    return [
      ...(model === undefined ? [] : [{ type: 'model' as const, model }]),
      ...parts,
      ...cut,
      ...(usage == null ? [] : [{ type: 'usage' as const, usage: readUsage(usage) }]),
      ...(blocked === undefined
        ? []
        : [{ type: 'finish' as const, reason: 'content_filter' as const, providerReason: blocked }]),
      ...(finish === undefined
        ? []
        : [{ type: 'finish' as const, reason: toReason(finish, calls > 0), providerReason: finish }]),
    ]
  }

  // A proxy may ignore `alt=sse` and send the events as one list.
  return { readEvent, readWhole: (answer) => [answer].flat().flatMap(readEvent) }
}

const FILTERED = new Set(['SAFETY', 'RECITATION', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII', 'IMAGE_SAFETY'])

function toReason(finish: string, hasCalls: boolean): ModelFinishReason {
  if (finish === 'STOP') return hasCalls ? 'tool_calls' : 'stop'
  if (finish === 'MAX_TOKENS') return 'length'
  return FILTERED.has(finish) ? 'content_filter' : 'other'
}

/** Google counts reasoning beside the answer. */
function readUsage(usage: unknown) {
  const answer = toCount(member(usage, 'candidatesTokenCount'))
  const thoughts = toCount(member(usage, 'thoughtsTokenCount'))
  return {
    prompt_tokens: toCount(member(usage, 'promptTokenCount')),
    completion_tokens: answer === null && thoughts === null ? null : (answer ?? 0) + (thoughts ?? 0),
    total_tokens: toCount(member(usage, 'totalTokenCount')),
    cache_read_tokens: toCount(member(usage, 'cachedContentTokenCount')),
    reasoning_tokens: thoughts,
  }
}
