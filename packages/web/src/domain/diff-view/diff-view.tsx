import { cx } from '#lib/browser/cx.ts'
import type { Diff } from '#lib/diff/ask-diff.ts'
import type { JsonLine } from '#lib/diff/diff-json.ts'
import type { TextLine } from '#lib/diff/diff-text.ts'
import type { TurnPair } from '#lib/diff/diff-turns.ts'
import { EmptyState } from '#ui/empty-state.tsx'
import { FoldedList } from './folded-list.tsx'

/** Differences between two texts, JSON documents or conversations. Unchanged parts are folded. */
export function DiffView({ diff }: { diff: Diff }) {
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
        <TurnsDiff turns={diff.turns} />
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
      <FoldedList items={lines} isSame={({ kind }) => kind === 'same'} of="values">
        {(line, index) => <JsonLineView key={index} line={line} />}
      </FoldedList>
    </div>
  )
}

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
function TurnsDiff({ turns }: { turns: readonly TurnPair[] }) {
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
              {kind === 'added' && <span className="font-normal text-fg-muted">only in B</span>}
              {kind === 'removed' && <span className="font-normal text-fg-muted">only in A</span>}
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
