import { cx } from '#lib/browser/cx.ts'
import type { JsonLine } from '#lib/diff/diff-json.ts'
import { FoldedList } from './folded-list.tsx'
import { Sign } from './text-diff.tsx'

/** Two JSON documents as one, place by place. */
export function JsonDiff({ lines }: { lines: readonly JsonLine[] }) {
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
