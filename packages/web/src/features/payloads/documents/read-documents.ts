import { asList, asRecord, asText } from '@touchstone/formats/guards'

/** A document returned by a retriever. */
export interface FoundDocument {
  text: string
  /** Relevance as reported by the retriever. */
  score: number | undefined
  /** Value of the source, title, file, url or id field. */
  source: string | undefined
  metadata: Record<string, unknown>
}

const LISTS = ['documents', 'docs', 'output', 'outputs', 'results', 'matches', 'nodes']
const TEXTS = ['page_content', 'pageContent', 'content', 'text', 'document']
const SCORES = ['score', 'relevance_score', 'similarity', '_score']
const SOURCES = ['source', 'title', 'file', 'url', 'id']

/** The field of a run's outputs that `readDocuments` reads. */
export function findDocumentsField(outputs: unknown): string | undefined {
  const object = asRecord(outputs)
  return LISTS.find((name) => asList(object?.[name]) !== undefined)
}

/** Reads the documents from a run's outputs. Returns undefined unless every item of the list is a document. */
export function readDocuments(outputs: unknown): FoundDocument[] | undefined {
  const list = asList(outputs) ?? asList(asRecord(outputs)?.[findDocumentsField(outputs) ?? ''])
  const documents = list?.map(readDocument)
  const areAll = documents?.every((document) => document !== undefined)
  return documents && documents.length > 0 && areAll ? (documents as FoundDocument[]) : undefined
}

function readDocument(value: unknown): FoundDocument | undefined {
  const outer = asRecord(value)
  // LlamaIndex puts the text into a node, beside the score of the match.
  const inner = asRecord(outer?.node) ?? asRecord(outer?.document) ?? asRecord(outer?.kwargs) ?? outer
  const text = findField(inner, TEXTS, asText)
  if (!outer || !inner || text === undefined) return undefined
  const metadata = asRecord(inner.metadata) ?? asRecord(outer.metadata) ?? {}
  const places = [outer, inner, metadata]
  return {
    text,
    score: findInRecords(places, SCORES, asNumber),
    source: findInRecords([metadata, inner, outer], SOURCES, asText),
    metadata,
  }
}

function findInRecords<Value>(
  places: readonly Record<string, unknown>[],
  names: readonly string[],
  read: (value: unknown) => Value | undefined,
): Value | undefined {
  for (const place of places) {
    const found = findField(place, names, read)
    if (found !== undefined) return found
  }
  return undefined
}

function findField<Value>(
  place: Record<string, unknown> | undefined,
  names: readonly string[],
  read: (value: unknown) => Value | undefined,
): Value | undefined {
  for (const name of names) {
    const found = place && Object.hasOwn(place, name) ? read(place[name]) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

function asNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}
