import { ChevronsUpDown } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { cx } from '#lib/browser.ts'
import type { Diff } from '#lib/diff/ask-diff.ts'
import type { JsonLine } from '#lib/diff/diff-json.ts'
import { foldUnchanged, type TextLine } from '#lib/diff/diff-text.ts'
import type { TurnPair } from '#lib/diff/diff-turns.ts'
import { formatCount } from '#lib/format.ts'
import { Button } from './button.tsx'
import { EmptyState } from './states.tsx'

interface DiffViewProps {
  diff: Diff
  /** What the two are called. @default A and B */
  sides?: readonly [string, string]
}

/** Differences between two texts, JSON documents or conversations. Unchanged parts are folded. */
export function DiffView({ diff, sides = ['A', 'B'] }: DiffViewProps) {
  const differs = diff.kind === 'chat' ? diff.turns.some(isDifferent) : diff.lines.some(isDifferent)
  const isEmpty = diff.kind === 'chat' ? diff.turns.length === 0 : diff.lines.length === 0
  if (isEmpty) return <EmptyState title="Nothing to compare">Neither run recorded a value here.</EmptyState>
  return (
    <div>
      {!differs && (
        <p role="status" className="border-b border-border px-3 py-1.5 text-row text-fg-muted">
          No differences
        </p>
      )}
      {diff.kind === 'chat' ? (
        <TurnsDiff turns={diff.turns} sides={sides} />
      ) : diff.kind === 'json' ? (
        <JsonDiff lines={diff.lines} />
      ) : (
        <TextDiff lines={diff.lines} />
      )}
    </div>
  )
}

function isDifferent({ kind }: { kind: string }): boolean {
  return kind !== 'same'
}

/** Two texts as one list of lines: removed lines, then added ones, with the changed words marked. */
function TextDiff({ lines }: { lines: readonly TextLine[] }) {
  return (
    <div className="font-mono text-row">
      <FoldedList items={lines} isSame={({ kind }) => kind === 'same'} of="lines">
        {(line, index) => <TextLineView key={index} line={line} />}
      </FoldedList>
    </div>
  )
}

/** One line with its sign. */
export function TextLineView({ line: { kind, pieces } }: { line: TextLine }) {
  return (
    <div className={cx('flex', kind === 'added' && 'bg-add-bg', kind === 'removed' && 'bg-del-bg')}>
      <Sign kind={kind} />
      <span className="min-w-0 flex-1 whitespace-pre-wrap break-words pr-2 [overflow-wrap:anywhere]">
        {pieces.map(({ text, marked }, index) =>
          marked ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no ids and never move
            <mark key={index} className={cx('text-fg', kind === 'added' ? 'bg-add-mark' : 'bg-del-mark')}>
              {text}
            </mark>
          ) : (
            text
          ),
        )}
      </span>
    </div>
  )
}

const SIGNS: Record<string, [string, string]> = {
  added: ['+', 'added'],
  removed: ['-', 'removed'],
  changed: ['~', 'changed'],
}

/** `+`, `-` or `~`, with a word for screen readers. */
export function Sign({ kind }: { kind: string }) {
  const [sign, word] = SIGNS[kind] ?? [' ', '']
  return (
    <span className="w-5 shrink-0 select-none text-center font-mono text-fg-muted">
      <span aria-hidden>{sign}</span>
      {word && <span className="sr-only">{word} </span>}
    </span>
  )
}

/** Two JSON documents as one list, value by value. */
function JsonDiff({ lines }: { lines: readonly JsonLine[] }) {
  return (
    <div className="font-mono text-row">
      <FoldedList items={lines} isSame={({ kind }) => kind === 'same'} isCounted={isValue} of="values">
        {(line, index) => <JsonLineView key={index} line={line} />}
      </FoldedList>
    </div>
  )
}

const isValue = ({ isEnd }: JsonLine) => !isEnd

function JsonLineView({ line: { kind, depth, key, path, a, b } }: { line: JsonLine }) {
  return (
    <div
      title={path}
      className={cx(
        'flex',
        kind === 'added' && 'bg-add-bg',
        kind === 'removed' && 'bg-del-bg',
        kind === 'changed' && 'bg-sunken',
      )}
    >
      <Sign kind={kind} />
      <span
        className="min-w-0 flex-1 whitespace-pre-wrap break-words pr-2 [overflow-wrap:anywhere]"
        style={{ paddingLeft: Math.min(depth, 12) * 12 }}
      >
        {key !== '' && <span className="text-fg-muted">{key}: </span>}
        {kind === 'changed' ? (
          <>
            <del className="bg-del-mark text-fg no-underline">{a}</del>
            <span className="text-fg-muted"> → </span>
            <ins className="bg-add-mark text-fg no-underline">{b}</ins>
          </>
        ) : (
          (b ?? a)
        )}
      </span>
    </div>
  )
}

/** Two conversations as one list, message by message. */
function TurnsDiff({ turns, sides: [a, b] }: { turns: readonly TurnPair[]; sides: readonly [string, string] }) {
  return (
    <div className="flex flex-col gap-2 p-2">
      <FoldedList items={turns} isSame={({ kind }) => kind === 'same'} of="messages">
        {({ kind, role, lines }, index) => (
          <article key={index} className="overflow-hidden rounded-card border border-border bg-surface">
            <header
              className={cx(
                'flex items-center gap-1 py-1 text-row font-medium',
                kind === 'added' && 'bg-add-bg',
                kind === 'removed' && 'bg-del-bg',
              )}
            >
              <Sign kind={kind} />
              {role}
              {kind === 'added' && <span className="font-normal text-fg-muted">only in {b}</span>}
              {kind === 'removed' && <span className="font-normal text-fg-muted">only in {a}</span>}
            </header>
            <div className="pb-1 text-row">
              <FoldedList items={lines} isSame={(line) => line.kind === 'same'} of="lines">
                {(line, at) => <TextLineView key={at} line={line} />}
              </FoldedList>
            </div>
          </article>
        )}
      </FoldedList>
    </div>
  )
}

interface FoldedListProps<Item> {
  items: readonly Item[]
  isSame: (item: Item) => boolean
  /** Whether an item is one of those that the number of folded items counts. @default all */
  isCounted?: (item: Item) => boolean
  /** Noun for the folded items, for example "lines". */
  of: string
  children: (item: Item, index: number) => ReactNode
}

/** Items rendered at a time; thousands at once would block the page. */
const STEP = 1_000

/** List that folds unchanged ranges until they are opened. */
function FoldedList<Item>({ items, isSame, isCounted = () => true, of, children }: FoldedListProps<Item>) {
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set())
  const [most, setMost] = useState(STEP)
  // biome-ignore lint/correctness/useExhaustiveDependencies: which items are the same belongs to the items
  const ranges = useMemo(() => foldUnchanged(items.map(isSame)), [items])
  let drawn = 0
  const shown: ReactNode[] = []
  for (const { from, to, isFolded } of ranges) {
    if (isFolded && !open.has(from)) {
      shown.push(
        <button
          key={`fold ${from}`}
          type="button"
          onClick={() => setOpen(new Set(open).add(from))}
          className="flex w-full items-center gap-1.5 bg-sunken px-2 py-0.5 text-meta text-fg-muted hover:text-fg coarse:h-10"
        >
          <ChevronsUpDown size={12} aria-hidden />
          {formatCount(items.slice(from, to).filter(isCounted).length)} unchanged {of}
        </button>,
      )
      continue
    }
    const end = Math.min(to, from + Math.max(most - drawn, 0))
    for (const [offset, item] of items.slice(from, end).entries()) shown.push(children(item, from + offset))
    drawn += to - from
    if (drawn > most) break
  }
  const total = ranges.reduce((sum, { from, to, isFolded }) => sum + (isFolded && !open.has(from) ? 0 : to - from), 0)
  return (
    <>
      {shown}
      {total > most && (
        <p className="p-3 text-center">
          <Button onClick={() => setMost(most + STEP)}>
            Show {formatCount(Math.min(STEP, total - most))} more of {formatCount(total - most)} {of}
          </Button>
        </p>
      )}
    </>
  )
}
