import { isArrayText, isObjectText, splitElements, splitMembers } from '../../../json/cut-json.ts'
import { printObject } from '../../../json/write-object.ts'

/** A manifest with or without its model, all of it JSON text cut from what was stored. */
export interface Pulled {
  readonly manifest: string
  /** Settings of the model; null unless it was asked for. */
  readonly modelConfig: string | null
  /** Its class. */
  readonly modelProvider: string | null
}

/** Chains of a prompt and a model; the second is how a playground saves them. */
const SEQUENCES = new Set(['RunnableSequence', 'PromptPlayground'])

/**
 * What of a stored manifest is handed out. Without the model, of a chain its prompt alone. With it, a playground says
 * that it is a sequence, which is what loaders know.
 */
export function withModel(manifest: string, wantsModel: boolean): Pulled {
  const plain: Pulled = { manifest, modelConfig: null, modelProvider: null }
  const root = splitMembers(manifest)
  const id = classPath(root.get('id'))
  const kwargs = objectIn(root, 'kwargs')
  if (kwargs === undefined || !SEQUENCES.has(id.at(-1) ?? '')) return plain
  if (!wantsModel) {
    const first = kwargs.get('first')
    return first !== undefined && isObjectText(first) ? { ...plain, manifest: first } : plain
  }
  const isPlayground = id.join('/') === 'langsmith/playground/PromptPlayground'
  return {
    manifest: isPlayground ? printObject(new Map(root).set('id', SEQUENCE_ID)) : manifest,
    ...modelIn(kwargs),
  }
}

const SEQUENCE_ID = '["langchain","schema","runnable","RunnableSequence"]'

/** The last link of a chain is the model, or a binding of it. */
function modelIn(kwargs: ReadonlyMap<string, string>): Pick<Pulled, 'modelConfig' | 'modelProvider'> {
  const last = objectIn(kwargs, 'last')
  if (last === undefined) return { modelConfig: null, modelProvider: null }
  const bound = objectIn(objectIn(last, 'kwargs') ?? new Map(), 'bound')
  const model = bound ?? last
  const config = model.get('kwargs')
  return {
    modelConfig: config !== undefined && isObjectText(config) ? config : null,
    modelProvider: classPath(model.get('id')).at(-1) ?? null,
  }
}

function objectIn(members: ReadonlyMap<string, string>, key: string): Map<string, string> | undefined {
  const text = members.get(key)
  return text !== undefined && isObjectText(text) ? splitMembers(text) : undefined
}

function classPath(id: string | undefined): string[] {
  if (id === undefined || !isArrayText(id)) return []
  return splitElements(id)
    .map((part): unknown => (part.startsWith('"') ? JSON.parse(part) : undefined))
    .filter((part) => typeof part === 'string')
}
