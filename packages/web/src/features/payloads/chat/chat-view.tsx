import type { OfferedTool } from '@touchstone/formats/messages'
import type { Run } from '@touchstone/sdk'
import { Bot, Braces, ChevronRight, CircleAlert, Settings2, User, Wrench } from 'lucide-react'
import { createContext, type ReactNode, Suspense, useContext, useMemo, useState } from 'react'
import type { TextMode } from '#features/projects/projects.ts'
import { cx } from '#lib/browser.ts'
import { formatBytes, formatCount, formatLatency } from '#lib/format.ts'
import { isTerminalText } from '#lib/terminal-text.ts'
import { msBetween } from '#lib/time/time-range.ts'
import { CodeText } from '#ui/code-text.tsx'
import { CopyButton } from '#ui/copy-button.tsx'
import { lazyExtra } from '#ui/lazy.tsx'
import { StatusMark } from '#ui/run-icons.tsx'
import { TerminalText } from '#ui/terminal-text.tsx'
import type { ChatMessage, ChatPart, Conversation, Media, ToolCall, ToolResult } from './conversation.ts'
import { RemoteMedia } from './media.tsx'
import { Sources } from './sources.tsx'
import { TextModeSwitch, useTextMode } from './text-mode.tsx'
import { linkToolRuns, pairToolCalls, type ToolRuns } from './tool-calls.ts'

const Markdown = lazyExtra(() => import('./markdown.tsx').then((module) => module.default), PlainText)

/** Longer texts are cut at first; longer system prompts are collapsed at first. */
const CLAMP = 6_000
const FOLD_SYSTEM = 400

/** Renders a link from a tool call to the run that executed it. Without it, tool calls do not mention their runs. */
export const ToolRunLink = createContext<((run: Run) => ReactNode) | undefined>(undefined)

export interface ChatViewProps {
  conversation: Pick<Conversation, 'input' | 'output' | 'tools'>
  /** Tool runs that may belong to the tool calls. */
  toolRuns?: ToolRuns | undefined
  /** What the messages do not show of the inputs; below them. */
  inputRest?: ReactNode
  /** Likewise of the outputs. */
  outputRest?: ReactNode
}

/** The messages of a run, in order, with tool results under their calls and reasoning collapsed. */
export function ChatView({ conversation, toolRuns, inputRest, outputRest }: ChatViewProps) {
  const { messages, firstAnswer } = useMemo(() => {
    const paired = pairToolCalls([...conversation.input, ...conversation.output])
    const first = paired.length - Math.min(conversation.output.length, paired.length)
    return { messages: toolRuns ? linkToolRuns(paired, first, toolRuns) : paired, firstAnswer: first }
  }, [conversation, toolRuns])
  return (
    <div className="flex flex-col gap-2 p-3">
      {conversation.tools.length > 0 && <Tools tools={conversation.tools} />}
      {messages.slice(0, firstAnswer).map((message, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages have no ids and keep their order
        <Message key={index} message={message} isAnswer={false} />
      ))}
      {inputRest}
      {messages.slice(firstAnswer).map((message, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages have no ids and keep their order
        <Message key={index} message={message} isAnswer />
      ))}
      {outputRest}
    </div>
  )
}

/** A message as a card with its role, its parts and a copy button. */
export function Message({ message, isAnswer }: { message: ChatMessage; isAnswer: boolean }) {
  const text = useMemo(() => formatText(message), [message])
  const size = text.length
  const { mode, choose } = useTextMode(text)
  const isSystem = message.role === 'system' || message.role === 'developer'
  const [open, setOpen] = useState(!isSystem || size <= FOLD_SYSTEM)
  return (
    <article
      className={cx(
        'rounded-card border bg-surface [content-visibility:auto] [contain-intrinsic-size:auto_80px]',
        isAnswer ? 'border-border-strong' : 'border-border',
      )}
    >
      <header className="flex h-8 items-center gap-2 px-3 text-row">
        <RoleIcon role={message.role} />
        {isSystem && size > FOLD_SYSTEM ? (
          <button
            type="button"
            aria-expanded={open}
            onClick={() => setOpen(!open)}
            className="flex items-center gap-1 font-medium hover:underline"
          >
            {message.role}
            <ChevronRight size={13} aria-hidden className={cx(open && 'rotate-90')} />
            <span className="font-normal text-fg-muted">{formatCount(size)} characters</span>
          </button>
        ) : (
          <span className="font-medium">{message.role}</span>
        )}
        {message.name && <span className="text-fg-muted">{message.name}</span>}
        {isAnswer && <span className="rounded-control bg-sunken px-1 text-meta text-fg-muted">output</span>}
        <span className="ml-auto flex items-center gap-1">
          {hasProse(message) && open && <TextModeSwitch mode={mode} onChoose={choose} />}
          {size > 0 && <CopyButton iconOnly text={text} label="Copy message" />}
        </span>
      </header>
      {message.parts.length === 0 && <p className="px-3 pb-3 text-row text-fg-subtle">No content</p>}
      {open && message.parts.length > 0 && (
        <div className="flex flex-col gap-2 px-3 pb-3">
          {joinSources(message.parts).map((part, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts have no ids and keep their order
            <Part key={index} part={part} mode={mode} />
          ))}
        </div>
      )}
    </article>
  )
}

function RoleIcon({ role }: { role: string }) {
  const props = { size: 14, strokeWidth: 1.75, 'aria-hidden': true } as const
  if (role === 'assistant') return <Bot {...props} style={{ color: 'var(--type-llm-ink)' }} />
  if (role === 'tool') return <Wrench {...props} style={{ color: 'var(--type-tool-ink)' }} />
  if (role === 'user') return <User {...props} className="text-accent" />
  return <Settings2 {...props} className="text-fg-subtle" />
}

function Part({ part, mode }: { part: ChatPart; mode: TextMode }): ReactNode {
  switch (part.kind) {
    case 'text':
      return part.citations === undefined ? (
        <Prose text={part.text} mode={mode} />
      ) : (
        <div className="flex flex-col gap-1">
          <Prose text={part.text} mode={mode} />
          <Sources sources={part.citations} />
        </div>
      )
    case 'reasoning':
      return part.isHidden ? (
        <p className="text-row text-fg-muted">Reasoning, hidden by the provider</p>
      ) : (
        <Fold label="Reasoning" note={`${formatCount(part.text.length)} characters`}>
          <p dir="auto" className="whitespace-pre-wrap break-words text-base text-fg-muted">
            {part.text}
          </p>
        </Fold>
      )
    case 'refusal':
      return (
        <p className="flex items-start gap-1.5 text-form">
          <CircleAlert size={15} className="mt-0.5 shrink-0 text-warn" aria-hidden />
          <span>
            <span className="sr-only">Refusal: </span>
            {part.text}
          </span>
        </p>
      )
    case 'media':
      return <Medium media={part.media} mode={mode} />
    case 'code':
      return <CodeRun code={part.code} language={part.language} />
    case 'sources':
      return <Sources sources={part.sources} />
    case 'tool_call':
      return <Call call={part} />
    case 'tool_result':
      return <Result result={part} />
    case 'unknown':
      return <Code value={part.value} />
  }
}

/** A medium, with the words of an audio below it. A document that was recorded as text is its text. */
function Medium({ media, mode }: { media: Media; mode: TextMode }) {
  const words = media.text ?? media.transcript
  if (words === undefined) return <RemoteMedia media={media} />
  return (
    <div className="flex flex-col gap-1">
      {media.text === undefined ? (
        <RemoteMedia media={media} />
      ) : (
        <span className="text-meta text-fg-muted">{media.label ?? 'Document'}</span>
      )}
      <Prose text={words} mode={mode} />
    </div>
  )
}

/** Code that the provider ran for the model. */
function CodeRun({ code, language }: { code: string; language: string }) {
  return (
    <section aria-label="Code that the provider ran" className="rounded-control border border-border">
      <header className="border-b border-border px-2 py-1 text-meta text-fg-muted">{language || 'code'}</header>
      <Pre text={code} />
    </section>
  )
}

/** Renders text as Markdown, or as it is. Long text is cut until the rest is requested, to keep the page fast. */
function Prose({ text, mode }: { text: string; mode: TextMode }) {
  const [showsAll, setShowsAll] = useState(false)
  const isLong = text.length > CLAMP
  const limit = showsAll || !isLong ? text.length : CLAMP
  return (
    <div>
      {looksLikeJson(text) ? (
        <Pre text={text.slice(0, limit)} language="json" />
      ) : mode === 'text' ? (
        <ExactText text={text.slice(0, limit)} />
      ) : (
        <Suspense fallback={<PlainText source={text} limit={limit} />}>
          <Markdown source={text} limit={limit} />
        </Suspense>
      )}
      {isLong && !showsAll && (
        <button type="button" onClick={() => setShowsAll(true)} className="mt-1 text-row text-accent hover:underline">
          Show {formatBytes(text.length - CLAMP)} more
        </button>
      )}
    </div>
  )
}

/** Every character as it was recorded. Each line has the direction of its first letter. */
function ExactText({ text }: { text: string }) {
  return (
    <p dir="auto" className="whitespace-pre-wrap break-words font-mono text-base [unicode-bidi:plaintext]">
      <TerminalText text={text} />
    </p>
  )
}

function PlainText({ source, limit }: { source: string; limit: number }) {
  return (
    <p dir="auto" className="whitespace-pre-wrap break-words text-form">
      {source.slice(0, limit)}
    </p>
  )
}

/** A tool call with its name, arguments and result. */
export function Call({ call }: { call: ToolCall }) {
  const linkTo = useContext(ToolRunLink)
  return (
    <section aria-label={`Tool call ${call.name}`} className="rounded-control border border-border">
      <header className="flex items-center gap-1.5 px-2 py-1 text-row">
        <Wrench size={13} aria-hidden style={{ color: 'var(--type-tool-ink)' }} />
        <span className="font-mono font-medium">{call.name}</span>
        {call.isOfProvider && <span className="text-meta text-fg-muted">run by the provider</span>}
        {call.id && <span className="min-w-0 truncate font-mono text-meta text-fg-subtle">{call.id}</span>}
        {call.run && linkTo && (
          <span className="ml-auto flex shrink-0 items-center gap-1.5 text-meta text-fg-muted">
            <StatusMark
              status={call.run.status}
              start_time={call.run.start_time}
              end_time={call.run.end_time}
              size={13}
            />
            {call.run.end_time && (
              <span className="tabular-nums">{formatLatency(msBetween(call.run.start_time, call.run.end_time))}</span>
            )}
            {linkTo(call.run)}
          </span>
        )}
      </header>
      <div className="border-t border-border">
        <Code value={call.args} />
      </div>
      {typeof call.rest?.error === 'string' && (
        <p className="border-t border-border px-2 py-1 text-row text-err">{call.rest.error}</p>
      )}
      {call.result && (
        <div className="border-t border-border">
          <Result result={call.result} />
        </div>
      )}
    </section>
  )
}

function Result({ result }: { result: ToolResult }) {
  return (
    <div className="flex flex-col gap-1.5 p-2">
      <span className={cx('text-meta', result.isError ? 'text-err' : 'text-fg-muted')}>
        {formatResultLabel(result)} {result.name ?? ''}
      </span>
      {result.parts.length === 0 && <span className="text-row text-fg-subtle">empty</span>}
      {joinSources(result.parts).map((part, index) =>
        part.kind === 'text' ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts have no ids and keep their order
          <Pre key={index} text={part.text} />
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts have no ids and keep their order
          <Part key={index} part={part} mode="text" />
        ),
      )}
    </div>
  )
}

function formatResultLabel({ isError, isRecorded, isBeginning }: ToolResult): string {
  if (isRecorded) return isError ? 'run failed' : isBeginning ? 'beginning of the run output' : 'run output'
  return isError ? 'error' : 'result'
}

function Tools({ tools }: { tools: readonly OfferedTool[] }) {
  return (
    <Fold label="Tools offered" note={tools.map(({ name }) => name).join(', ')}>
      <ul className="flex flex-col gap-2">
        {tools.map((tool, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two tools may share a name
          <li key={index}>
            <p className="font-mono text-row font-medium">{tool.name}</p>
            {tool.description && (
              <p dir="auto" className="whitespace-pre-wrap text-row text-fg-muted">
                {tool.description}
              </p>
            )}
            {tool.schema !== undefined && <Code value={tool.schema} />}
          </li>
        ))}
      </ul>
    </Fold>
  )
}

export function Fold({ label, note, children }: { label: string; note: string; children: ReactNode }) {
  const [open, setOpen] = useState(false)
  return (
    <div className="rounded-control border border-border">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex h-7 w-full min-w-0 items-center gap-1.5 px-2 text-row text-fg-muted hover:bg-hover coarse:h-10"
      >
        <ChevronRight size={13} aria-hidden className={cx('shrink-0', open && 'rotate-90')} />
        <span className="shrink-0">{label}</span>
        <span className="min-w-0 truncate text-fg-subtle">{note}</span>
      </button>
      {open && <div className="border-t border-border p-2">{children}</div>}
    </div>
  )
}

interface JsonCardProps {
  label: string
  /** What the copy button copies; undefined while it is loading. */
  text: string | undefined
  children: ReactNode
}

/** What a conversation does not show as messages, as a card below or above them. */
export function JsonCard({ label, text, children }: JsonCardProps) {
  return (
    <section aria-label={label} className="rounded-card border border-border bg-surface pb-1">
      <header className="flex h-8 items-center gap-2 px-3 text-row">
        <Braces size={14} strokeWidth={1.75} aria-hidden className="text-fg-subtle" />
        <span className="font-medium">{label}</span>
        <span className="ml-auto">
          {text !== undefined && <CopyButton iconOnly text={text} label={`Copy ${label.toLowerCase()}`} />}
        </span>
      </header>
      <div className="px-1">{children}</div>
    </section>
  )
}

/** JSON in one line if it is short. Traced values may be nested more deeply than the stack of the browser allows. */
function printValue(value: unknown): string {
  try {
    const line = JSON.stringify(value) ?? ''
    return line.length <= 80 ? line : JSON.stringify(value, null, 2)
  } catch {
    return 'Nested too deeply to be shown here. In/Out shows it.'
  }
}

function Code({ value }: { value: unknown }) {
  if (typeof value === 'string') return <Pre text={value} />
  return <Pre text={printValue(value)} language="json" />
}

export function Pre({ text, language }: { text: string; language?: 'json' | undefined }) {
  const [showsAll, setShowsAll] = useState(false)
  const shown = showsAll ? text : text.slice(0, CLAMP)
  return (
    <>
      <pre className="overflow-x-hidden whitespace-pre-wrap break-words px-2 py-1 font-mono text-row">
        {language === undefined && isTerminalText(shown) ? (
          <TerminalText text={shown} />
        ) : (
          <CodeText text={shown} language={language} />
        )}
      </pre>
      {shown.length < text.length && (
        <button
          type="button"
          onClick={() => setShowsAll(true)}
          className="px-2 pb-1 text-row text-accent hover:underline"
        >
          Show {formatBytes(text.length - shown.length)} more
        </button>
      )}
    </>
  )
}

/** The text of a message, without tool calls and media. */
function formatText(message: ChatMessage): string {
  return message.parts.flatMap((part) => findText(part) ?? []).join('\n\n')
}

function findText(part: ChatPart): string | undefined {
  if (part.kind === 'code') return part.code
  if (part.kind === 'media') return part.media.text ?? part.media.transcript
  return part.kind === 'text' || part.kind === 'reasoning' || part.kind === 'refusal' ? part.text : undefined
}

/** Sources that follow one another are one list. */
function joinSources(parts: readonly ChatPart[]): readonly ChatPart[] {
  const joined: ChatPart[] = []
  for (const part of parts) {
    const last = joined.at(-1)
    if (part.kind === 'sources' && last?.kind === 'sources') {
      joined[joined.length - 1] = { kind: 'sources', sources: [...last.sources, ...part.sources] }
    } else joined.push(part)
  }
  return joined
}

/** Whether a message has a text that may be Markdown. */
function hasProse({ parts }: ChatMessage): boolean {
  return parts.some((part) => part.kind === 'text' && !looksLikeJson(part.text))
}

function looksLikeJson(text: string): boolean {
  return /^\s*(\{[\s\S]*"|\[\s*[{["\d])/.test(text.slice(0, 200)) && /[}\]]\s*$/.test(text.slice(-50))
}
