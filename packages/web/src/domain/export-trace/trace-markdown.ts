import type { Run } from '@touchstone/contract'
import { adaptConversation } from '#domain/chat-view/adapters.ts'
import type { ChatMessage, ChatPart } from '#domain/chat-view/conversation.ts'
import { pairToolCalls } from '#domain/chat-view/pair-tool-calls.ts'
import { formatCost, formatLatency, formatTokenPair } from '#lib/format/format.ts'
import { msBetween } from '#lib/time/timestamps.ts'

/** A trace as a document to read or to paste: a section per run, in the order of the tree. */
export function traceMarkdown(runs: readonly Run[]): string {
  const ordered = runs.toSorted((a, b) => ((a.dotted_order ?? '') < (b.dotted_order ?? '') ? -1 : 1))
  return `${ordered.map(section).join('\n\n')}\n`
}

function section(run: Run): string {
  const depth = (run.dotted_order ?? '').split('.').length
  const title = `${'#'.repeat(Math.min(depth, 6))} ${oneLine(run.name)}`
  return [title, facts(run), run.error && `Error:\n\n${fenced(run.error)}`, said(run)].filter(Boolean).join('\n\n')
}

function facts(run: Run): string {
  const isCounted = run.prompt_tokens || run.completion_tokens
  const parts = [
    run.run_type,
    run.status,
    run.end_time ? formatLatency(msBetween(run.start_time, run.end_time)) : 'running',
    isCounted && `${formatTokenPair(run.prompt_tokens, run.completion_tokens)} tokens`,
    run.total_cost != null && formatCost(run.total_cost),
    `\`${run.id}\``,
  ]
  return parts.filter(Boolean).join(' · ')
}

/** What was said, where it was a conversation; otherwise the values themselves. */
function said({ run_type, inputs, outputs }: Run): string {
  const conversation = run_type === 'llm' ? adaptConversation(inputs, outputs) : undefined
  if (conversation)
    return pairToolCalls([...conversation.input, ...conversation.output])
      .map(message)
      .join('\n\n')
  return [value('Input', inputs), value('Output', outputs)].filter(Boolean).join('\n\n')
}

function value(label: string, content: unknown): string | undefined {
  if (content === null || content === undefined) return undefined
  return `${label}:\n\n${fenced(JSON.stringify(content, null, 2), 'json')}`
}

function message({ role, parts }: ChatMessage): string {
  return [`**${oneLine(role)}**`, ...parts.map(part)].filter(Boolean).join('\n\n')
}

function part(one: ChatPart): string {
  switch (one.kind) {
    case 'text':
    case 'refusal':
      return quoted(one.text)
    case 'reasoning':
      return `Reasoning:\n\n${quoted(one.text)}`
    case 'media':
      return `(${one.media.label ?? one.media.type})`
    case 'tool_call': {
      const args = typeof one.args === 'string' ? one.args : JSON.stringify(one.args, null, 2)
      const call = `Calls \`${one.name.replaceAll('`', "'")}\`:\n\n${fenced(args, 'json')}`
      return one.result ? `${call}\n\n${part(one.result)}` : call
    }
    case 'tool_result':
      return `Result:\n\n${one.parts.map(part).join('\n\n')}`
    case 'unknown':
      return fenced(JSON.stringify(one.value, null, 2), 'json')
  }
}

/** What was traced may itself be Markdown: as a quotation it cannot end its section. */
function quoted(text: string): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n')
}

/** A block of code behind a fence longer than any in it. */
function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text}\n${fence}`
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
