import { findModelKey } from '@touchstone/formats/models'
import type { PromptDocument, PromptTool } from './document.ts'
import { type Fields, isModelName, readKwargs, readSecret, readType, toFields, toList } from './serialized.ts'

/** What follows the prompt in a chain. */
export type ChainSteps = Pick<PromptDocument, 'model' | 'tools' | 'unread'>

/** Reads the steps after a prompt: the model with its tools, and the names of all others. */
export function readSteps(steps: readonly unknown[]): ChainSteps {
  const at = findModelStep(steps)
  const others = steps.filter((_, index) => index !== at).map((step) => readType(step) ?? 'step')
  return { ...(at === undefined ? { model: undefined, tools: [] } : readModelStep(steps[at])), unread: others }
}

/** Position of the model: a step that is one for certain, else the last step, unless it works on an answer. */
export function findModelStep(steps: readonly unknown[]): number | undefined {
  const certain = steps.findIndex(isModel)
  if (certain >= 0) return certain
  const last = steps.length - 1
  const type = readType(getBound(steps[last]))
  return type === undefined || NOT_A_MODEL.test(type) ? undefined : last
}

/** The model of a step: a binding holds it with the options of its calls. */
export function getBound(step: unknown): unknown {
  return readType(step) === 'RunnableBinding' ? readKwargs(step).bound : step
}

const NOT_A_MODEL = /^Runnable|Parser$|PromptTemplate$/

function isModel(step: unknown): boolean {
  const bound = getBound(step)
  const type = readType(bound)
  if (type === undefined || NOT_A_MODEL.test(type)) return false
  const kwargs = readKwargs(bound)
  const path = toList(toFields(bound).id)
  return (
    /^Chat/.test(type) ||
    path.some((part) => part === 'chat_models' || part === 'llms') ||
    findModelKey(kwargs) !== undefined
  )
}

function readModelStep(step: unknown): Pick<ChainSteps, 'model' | 'tools'> {
  const bound = getBound(step)
  const { tools, ...options } = bound === step ? {} : toFields(readKwargs(step).kwargs)
  const fields: Fields = { ...readKwargs(bound), ...options }
  const nameField = findModelKey(fields)
  const name = nameField && fields[nameField]
  const entries = Object.entries(fields).filter(([field]) => !isModelName(field, nameField))
  return {
    model: {
      provider: readType(bound) ?? '',
      name: typeof name === 'string' ? name : undefined,
      settings: Object.fromEntries(entries.filter(([, value]) => readSecret(value) === undefined)),
      secrets: entries.flatMap(([, value]) => readSecret(value) ?? []),
    },
    tools: toList(tools).map(readTool),
  }
}

function readTool(value: unknown): PromptTool {
  const fields = toFields(value)
  const { name, description, parameters, input_schema } = { ...fields, ...toFields(fields.function) }
  return {
    name: typeof name === 'string' ? name : typeof fields.type === 'string' ? fields.type : 'tool',
    description: typeof description === 'string' ? description : undefined,
    parameters: parameters ?? input_schema,
    value,
  }
}
