import type { Run } from '@touchstone/sdk'
import type { ChatMessage, ChatPart } from '#features/payloads/chat/conversation.ts'
import { formatAbsoluteTime, formatLatency, formatTokenPair } from '#lib/format.ts'
import { printMarkedCost } from '#lib/printed-cost.ts'
import { msBetween } from '#lib/time/time-range.ts'
import { getPreviewLabel, readTurn, type TurnContent, type TurnItem } from './read-turn.ts'

/** A turn with its messages. The content of a turn that is too large to load is undefined; its previews are printed. */
export interface PrintableTurn {
  turn: Run
  content: TurnContent | undefined
}

/** Prints a conversation as Markdown, turn by turn, without repeated messages. */
export function printThread(threadId: string, turns: readonly PrintableTurn[]): string {
  const parts = turns.map(({ turn, content }, index) => {
    const items = content && readTurn(content, turns[index - 1]?.content)
    const body = items ? items.flatMap(printItem) : printPreviews(turn)
    const failure = turn.error_preview ? [`**Failed:** ${turn.error_preview}`] : []
    return [`## Turn ${index + 1} · ${printFigures(turn)}`, ...body, ...failure].join('\n\n')
  })
  return `${[`# Thread ${threadId}`, ...parts].join('\n\n')}\n`
}

function printFigures(turn: Run): string {
  const tokens = turn.total_tokens ? `${formatTokenPair(turn.prompt_tokens, turn.completion_tokens)} tokens` : undefined
  const { total_cost: total, reported_cost: reported, unpriced_fees: fees } = turn
  const cost = total == null ? undefined : printMarkedCost({ total, reported, fees })
  return [formatAbsoluteTime(turn.start_time), formatLatency(msBetween(turn.start_time, turn.end_time)), tokens, cost]
    .filter(Boolean)
    .join(' · ')
}

function printItem(item: TurnItem): string[] {
  if (item.kind === 'repeated') return []
  if (item.kind === 'message') return [`**${item.message.role}**`, ...printMessage(item.message)]
  if (item.kind === 'result') return [`> result ${item.result.name ?? ''}: ${printInLine(item.result.parts)}`]
  const { name, args, result } = item.call
  const call = `> tool \`${name}\` ${typeof args === 'string' ? args : (JSON.stringify(args) ?? '')}`
  return [result ? `${call}\n> → ${printInLine(result.parts)}` : call]
}

function printMessage(message: ChatMessage): string[] {
  return message.parts.flatMap((part) => ('text' in part ? [part.text] : [printInLine([part])]))
}

/** Prints in one line, because a line break would end the Markdown quotation. */
function printInLine(parts: readonly ChatPart[]): string {
  return parts.map(printPart).join(' ').replaceAll(/\s+/g, ' ')
}

function printPart(part: ChatPart): string {
  if ('text' in part) return part.text
  if (part.kind === 'code') return part.code
  if (part.kind === 'media' && part.media.text !== undefined) return part.media.text
  if (part.kind === 'media') return `[${part.media.type}${part.media.label ? ` ${part.media.label}` : ''}]`
  return JSON.stringify(part.kind === 'unknown' ? part.value : part) ?? ''
}

function printPreviews(turn: Run): string[] {
  return (['inputs', 'outputs'] as const).flatMap((side) => {
    const text = turn[`${side}_preview`]
    return text ? `**${getPreviewLabel(turn, side)}**\n\n${text}` : []
  })
}
