import type { Run } from '@touchstone/contract'
import { sortTree } from '@touchstone/contract/sort-tree'
import { type Citation, readConversation } from '@touchstone/formats/messages'
import type { ChatMessage, ChatPart } from '#features/payloads/chat/conversation.ts'
import { pairToolCalls } from '#features/payloads/chat/tool-calls.ts'
import { formatLatency, formatTokenPair } from '#lib/format.ts'
import { printMarkedCost } from '#lib/printed-cost.ts'
import { msBetween } from '#lib/time/time-range.ts'

/**
 * Prints a trace as a Markdown document: one section per run, in tree order.
 *
 * @param runs  siblings in their order, as the API lists the runs of a trace
 */
export function printTraceMarkdown(runs: readonly Run[]): string {
  return `${sortTree(runs).map(printSection).join('\n\n')}\n`
}

function printSection(run: Run): string {
  const depth = (run.dotted_order ?? '').split('.').length
  const title = `${'#'.repeat(Math.min(depth, 6))} ${collapseWhitespace(run.name)}`
  return [title, printFacts(run), run.error && `Error:\n\n${fenceCode(run.error)}`, printPayload(run)]
    .filter(Boolean)
    .join('\n\n')
}

function printFacts(run: Run): string {
  const isCounted = run.prompt_tokens || run.completion_tokens
  const parts = [
    run.run_type,
    run.status,
    run.end_time ? formatLatency(msBetween(run.start_time, run.end_time)) : 'running',
    isCounted && `${formatTokenPair(run.prompt_tokens, run.completion_tokens)} tokens`,
    run.total_cost != null &&
      printMarkedCost({ total: run.total_cost, reported: run.reported_cost, fees: run.unpriced_fees }),
    `\`${run.id}\``,
  ]
  return parts.filter(Boolean).join(' · ')
}

/** The conversation of a model run, and each side that has no messages as JSON. */
function printPayload(run: Run): string {
  const { run_type, inputs, outputs } = run
  const conversation = run_type === 'llm' ? readConversation(inputs, outputs) : undefined
  const { input = [], output = [], rest } = conversation ?? {}
  const parts = [
    printDerived('Input of the first model call', run.derived_payloads?.inputs, run.inputs_preview),
    (!conversation || rest?.inputs?.isWhole) && printValue('Input', inputs),
    ...pairToolCalls([...input, ...output]).map(printMessage),
    (!conversation || rest?.outputs?.isWhole) && printValue('Output', outputs),
    printDerived('Output of the last model call', run.derived_payloads?.outputs, run.outputs_preview),
  ]
  return parts.filter(Boolean).join('\n\n')
}

function printValue(label: string, content: unknown): string | undefined {
  if (content === null || content === undefined) return undefined
  return `${label}:\n\n${fenceCode(JSON.stringify(content, null, 2), 'json')}`
}

/** The preview of a side that a root did not record. */
function printDerived(label: string, id: string | null | undefined, preview: string | null | undefined) {
  return id && preview ? `${label} (\`${id}\`), this run recorded none:\n\n${quoteText(preview)}` : undefined
}

function printMessage({ role, parts }: ChatMessage): string {
  return [`**${collapseWhitespace(role)}**`, ...parts.map(printPart)].filter(Boolean).join('\n\n')
}

function printPart(one: ChatPart): string {
  switch (one.kind) {
    case 'text':
    case 'refusal':
      return quoteText(one.text)
    case 'reasoning':
      return `Reasoning:\n\n${quoteText(one.text)}`
    case 'code':
      return fenceCode(one.code, one.language)
    case 'sources':
      return one.sources.map(printSource).join('\n')
    case 'media':
      if (one.media.text !== undefined) return quoteText(one.media.text)
      return `(${one.media.label ?? one.media.type})`
    case 'tool_call': {
      const args = typeof one.args === 'string' ? one.args : JSON.stringify(one.args, null, 2)
      const call = `Calls \`${one.name.replaceAll('`', "'")}\`:\n\n${fenceCode(args, 'json')}`
      return one.result ? `${call}\n\n${printPart(one.result)}` : call
    }
    case 'tool_result':
      return `Result:\n\n${one.parts.map(printPart).join('\n\n')}`
    case 'unknown':
      return fenceCode(JSON.stringify(one.value, null, 2), 'json')
  }
}

function printSource({ title, url }: Citation): string {
  return `(source: ${collapseWhitespace([title, url].filter(Boolean).join(' '))})`
}

/** Quotes traced text: it may contain Markdown itself and must not end its section. */
function quoteText(text: string): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n')
}

/** A code block whose fence is longer than any fence in the text. */
function fenceCode(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text}\n${fence}`
}

function collapseWhitespace(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
