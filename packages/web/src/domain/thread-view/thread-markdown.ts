import type { Run } from '@touchstone/sdk'
import type { ChatMessage, ChatPart } from '#domain/chat-view/conversation.ts'
import { formatAbsoluteTime, formatCost, formatLatency, formatTokenPair } from '#lib/format/format.ts'
import { msBetween } from '#lib/time/timestamps.ts'
import { type Cargo, readTurn, type TurnItem } from './read-turn.ts'

/**
 * A conversation as Markdown, turn by turn, repeated history left out.
 *
 * @param cargo  what was said in a turn; undefined when it could not be read, whose previews then stand for it
 */
export function threadMarkdown(threadId: string, turns: readonly { turn: Run; cargo: Cargo | undefined }[]): string {
  const parts = turns.map(({ turn, cargo }, at) => {
    const items = cargo && readTurn(cargo, turns[at - 1]?.cargo)
    const body = items ? items.flatMap(printItem) : previewsOf(turn)
    const failure = turn.error_preview ? [`**Failed:** ${turn.error_preview}`] : []
    return [`## Turn ${at + 1} · ${factsOf(turn)}`, ...body, ...failure].join('\n\n')
  })
  return `${[`# Thread ${threadId}`, ...parts].join('\n\n')}\n`
}

function factsOf(turn: Run): string {
  const tokens = turn.total_tokens ? `${formatTokenPair(turn.prompt_tokens, turn.completion_tokens)} tokens` : undefined
  const cost = turn.total_cost == null ? undefined : formatCost(turn.total_cost)
  return [formatAbsoluteTime(turn.start_time), formatLatency(msBetween(turn.start_time, turn.end_time)), tokens, cost]
    .filter(Boolean)
    .join(' · ')
}

function printItem(item: TurnItem): string[] {
  if (item.kind === 'repeated') return []
  if (item.kind === 'message') return [`**${item.message.role}**`, ...wordsOf(item.message)]
  if (item.kind === 'result') return [`> result ${item.result.name ?? ''}: ${lineOf(item.result.parts)}`]
  const { name, args, result } = item.call
  const called = `> tool \`${name}\` ${typeof args === 'string' ? args : (JSON.stringify(args) ?? '')}`
  return [result ? `${called}\n> → ${lineOf(result.parts)}` : called]
}

function wordsOf(message: ChatMessage): string[] {
  return message.parts.flatMap((part) => ('text' in part ? [part.text] : [lineOf([part])]))
}

/** In one line, because a quotation ends with it. */
function lineOf(parts: readonly ChatPart[]): string {
  return parts.map(printPart).join(' ').replaceAll(/\s+/g, ' ')
}

function printPart(part: ChatPart): string {
  if ('text' in part) return part.text
  if (part.kind === 'media') return `[${part.media.type}${part.media.label ? ` ${part.media.label}` : ''}]`
  return JSON.stringify(part.kind === 'unknown' ? part.value : part) ?? ''
}

function previewsOf({ inputs_preview, outputs_preview }: Run): string[] {
  return [
    inputs_preview && `**input**\n\n${inputs_preview}`,
    outputs_preview && `**output**\n\n${outputs_preview}`,
  ].flatMap((text) => text || [])
}
