import { asList, asRecord, asText, isRecord, type JsonRecord, memberAt } from '../../json/guards.ts'
import type { Citation } from '../model.ts'
import { firstWord, present } from './fields.ts'

/**
 * Citations of a text by the names of all providers: annotations of OpenAI, citations of Anthropic, Bedrock, Cohere and
 * LangChain.
 */
export function readCitations(value: unknown): readonly Citation[] {
  return (asList(value) ?? []).flatMap(readCitation)
}

/** Where a citation has its source, when it is not the citation itself. */
const HOLDERS = ['url_citation', 'file_citation', 'document', 'web', 'retrievedContext', 'location']

/** A citation, or the address of a page. Cohere names several sources for the same words. */
export function readCitation(value: unknown): readonly Citation[] {
  if (typeof value === 'string') return [{ url: value, raw: { url: value } }]
  if (!isRecord(value)) return []
  const sources = asList(value.sources)
  if (sources !== undefined && sources.length > 0) {
    return sources.filter(isRecord).map((source) => ({ ...describe(source), raw: { ...value, sources: [source] } }))
  }
  return [{ ...describe(value), raw: value }]
}

function describe(citation: JsonRecord): Omit<Citation, 'raw'> {
  const holders = [
    citation,
    ...HOLDERS.map((name) => asRecord(citation[name])),
    asRecord(memberAt(citation, 'location', 'web')),
  ]
  const find = (names: readonly string[]) => holders.map((holder) => firstWord(holder, names)).find(Boolean)
  const quoted = asList(citation.sourceContent)?.map((one) => asText(asRecord(one)?.text) ?? '')
  return present({
    title: find(['title', 'document_title', 'filename', 'file_name']),
    url: find(['url', 'uri', 'source', 'link']),
    quote: find(['cited_text', 'citedText', 'quote', 'snippet']) ?? (quoted ?? listContent(citation))?.join(' '),
  })
}

/** The text of a search result of Anthropic. */
function listContent({ type, content }: JsonRecord): string[] | undefined {
  if (type !== 'search_result') return undefined
  return asList(content)?.map((one) => asText(asRecord(one)?.text) ?? '')
}

/** Sources that Gemini found on the web, beside the content of a candidate. */
export function readGrounding(candidate: JsonRecord): readonly Citation[] {
  const grounding = asRecord(candidate.groundingMetadata ?? candidate.grounding_metadata)
  const cited = asRecord(candidate.citationMetadata ?? candidate.citation_metadata)
  return [
    ...readCitations(grounding?.groundingChunks ?? grounding?.grounding_chunks),
    ...readCitations(cited?.citationSources ?? cited?.citations ?? cited?.citation_sources),
  ]
}
