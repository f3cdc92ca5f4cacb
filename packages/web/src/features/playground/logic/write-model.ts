import type { ModelProviderKind, ModelTool } from '@touchstone/contract'
import { parseExact } from '@touchstone/formats/edit-json'
import { MODEL_FIELDS } from '@touchstone/formats/models'
import { isSame, readClass, readKwargs, serialize, withKwargs } from './from-manifest.ts'
import { PARAMETERS, readTool } from './from-run.ts'
import { asFields, type JsonFields, newVariant, toFields, toList, type Variant } from './variant.ts'

/** The model of a step: a binding holds it with the options of its calls. */
export const getBound = (step: unknown): unknown =>
  readClass(step) === 'RunnableBinding' ? readKwargs(step).bound : step

/** Classes of LangChain for the wire formats, with the secret that they are loaded with. */
const MODELS = {
  openai: { id: ['langchain', 'chat_models', 'openai', 'ChatOpenAI'], key: 'openai_api_key', secret: 'OPENAI_API_KEY' },
  anthropic: {
    id: ['langchain', 'chat_models', 'anthropic', 'ChatAnthropic'],
    key: 'anthropic_api_key',
    secret: 'ANTHROPIC_API_KEY',
  },
  google: {
    id: ['langchain_google_genai', 'chat_models', 'ChatGoogleGenerativeAI'],
    key: 'google_api_key',
    secret: 'GOOGLE_API_KEY',
  },
} as const
type Maker = keyof typeof MODELS

function getMaker(kind: ModelProviderKind | undefined): Maker {
  if (kind === 'anthropic-messages') return 'anthropic'
  return kind === 'gemini' ? 'google' : 'openai'
}

/** Whose API a class calls; classes of other makers follow OpenAI. */
function getMakerOfClass(name: string): Maker {
  if (/Anthropic/.test(name)) return 'anthropic'
  return /Google|VertexAI|Gemini/.test(name) ? 'google' : 'openai'
}

/** The step of a chain that has the model, its parameters and its tools; `step` is the one that was there. */
export function writeModelStep(
  variant: Variant,
  before: Variant,
  step: unknown,
  kind: ModelProviderKind | undefined,
): unknown {
  const bound = getBound(step)
  const name = readClass(bound)
  const isKept = name !== undefined && (kind === undefined || getMakerOfClass(name) === getMaker(kind))
  const { id, key, secret } = MODELS[getMaker(kind)]
  const start = isKept
    ? bound
    : serialize(id, { [key]: { lc: 1, type: 'secret', id: [secret] }, ...(variant.model === '' && { model: '' }) })
  const from = isKept ? before : newVariant('0')
  const binding = step !== bound ? toFields(readKwargs(step).kwargs) : {}
  const options = writeSettings({ model: readKwargs(start), call: binding }, variant, from)
  const written = { ...toFields(start), kwargs: options.model }
  // The tools of another API are of no use to a new class.
  const hasTools = !isKept || !isSame([variant.tools, variant.toolChoice], [before.tools, before.toolChoice])
  const maker = isKept ? getMakerOfClass(name) : getMaker(kind)
  const call = hasTools ? writeTools(options.call, variant, isKept ? before : undefined, maker) : options.call
  if (step !== undefined && step !== bound) return withKwargs(step, { bound: written, kwargs: call })
  if (Object.keys(call).length === 0) return written
  return serialize(['langchain_core', 'runnables', 'base', 'RunnableBinding'], { bound: written, kwargs: call })
}

/** Arguments of the model, and options of its calls, which take precedence. */
interface Settings {
  readonly model: JsonFields
  readonly call: JsonFields
}

function writeSettings(settings: Settings, variant: Variant, before: Variant): Settings {
  const written = { model: { ...settings.model }, call: { ...settings.call } }
  const set = (names: readonly string[], value: unknown) => {
    const place = names.some((name) => Object.hasOwn(written.call, name)) ? written.call : written.model
    const name = names.find((one) => Object.hasOwn(place, one)) ?? names[0] ?? ''
    if (value == null)
      for (const one of names) {
        delete written.call[one]
        delete written.model[one]
      }
    else place[name] = value
  }
  if (variant.model !== before.model) set(MODEL_FIELDS, variant.model)
  for (const [name, keys] of Object.entries(PARAMETERS) as [keyof Variant['parameters'], readonly string[]][]) {
    const value = variant.parameters[name]
    if (isSame(value ?? null, before.parameters[name] ?? null)) continue
    const { reasoning, thinking } = written.model
    if (name === 'reasoning_effort' && asFields(reasoning) !== undefined) {
      set(['reasoning'], value == null ? null : { ...toFields(reasoning), effort: value })
    } else if (name === 'reasoning_budget') {
      const given = { ...toFields(thinking), type: 'enabled', budget_tokens: value }
      set(['thinking'], value == null ? null : given)
    } else set(keys, value)
  }
  // The prompt has the schema from now on.
  if (!isSame(variant.output, before.output)) set(['response_format'], null)
  if (variant.extraBody.trim() !== before.extraBody.trim()) {
    const extra = variant.extraBody.trim() === '' ? null : parseExact(variant.extraBody)
    set(['model_kwargs', 'extra_body'], extra)
  }
  return written
}

/** Options with the tools and the choice of a variant; a tool that did not change stays as it is stored. */
function writeTools(call: JsonFields, variant: Variant, before: Variant | undefined, maker: Maker): JsonFields {
  const { tools: stored, tool_choice: _choice, ...others } = call
  const list = variant.tools.trim() === '' ? [] : (parseExact(variant.tools) as ModelTool[])
  if (list.length === 0) return others
  const old = before === undefined ? [] : toList(stored)
  const known = new Map(old.map((tool) => [JSON.stringify(readTool(tool, [])), tool]))
  const hasSchema = (tool: unknown) => toFields(tool).input_schema !== undefined
  const isAnthropic = maker === 'anthropic' && (old.length === 0 || old.some(hasSchema))
  const tools = list.map((tool) => {
    const same = known.get(JSON.stringify(tool))
    if (same !== undefined) return same
    return tool.type === 'raw' ? tool.raw : isAnthropic ? toAnthropicTool(tool) : tool
  })
  const isSameChoice = before !== undefined && isSame(variant.toolChoice, before.toolChoice)
  const choice = isSameChoice ? call.tool_choice : writeChoice(variant.toolChoice, isAnthropic, call.tool_choice)
  return { ...others, tools, ...(choice !== undefined && { tool_choice: choice }) }
}

const toAnthropicTool = ({
  function: { name, description, parameters, strict },
}: Extract<ModelTool, { type: 'function' }>) => ({
  name,
  ...(description != null && { description }),
  input_schema: parameters ?? { type: 'object' },
  ...(strict != null && { strict }),
})

const ANTHROPIC_CHOICES = { auto: 'auto', required: 'any' } as const

function writeChoice(choice: Variant['toolChoice'], isAnthropic: boolean, stored: unknown): unknown {
  if (choice === undefined) return undefined
  if (isAnthropic) {
    const { type: _type, name: _name, ...others } = toFields(stored)
    if (typeof choice === 'object') return { ...others, type: 'tool', name: choice.name }
    return choice === 'none' ? { type: 'none' } : { ...others, type: ANTHROPIC_CHOICES[choice] }
  }
  return typeof choice === 'object' ? { type: 'function', function: choice } : choice
}
