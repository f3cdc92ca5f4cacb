import { cx } from '#lib/browser/cx.ts'
import { Swatch } from './swatch.tsx'

export interface LegendLine {
  id: string
  label: string
  colour: string
  isDashed: boolean
  /** Opens more about this line, instead of hiding the others. */
  onOpen?: (() => void) | undefined
}

export interface LegendProps {
  lines: readonly LegendLine[]
  solo: string | undefined
  hidden: ReadonlySet<string>
  onSolo: (id: string | undefined) => void
  onHidden: (hidden: ReadonlySet<string>) => void
}

/** Which colour is what. A click shows one line alone, with Alt it hides it; the same again brings all back. */
export function Legend({ lines, solo, hidden, onSolo, onHidden }: LegendProps) {
  function press(id: string, isHiding: boolean) {
    if (!isHiding) return onSolo(solo === id ? undefined : id)
    const next = new Set(hidden)
    if (!next.delete(id)) next.add(id)
    onHidden(next)
  }
  return (
    <ul className="flex flex-wrap gap-x-1">
      {lines.map((line) => {
        const isShown = solo === undefined ? !hidden.has(line.id) : solo === line.id
        return (
          <li key={line.id} className="flex min-w-0 max-w-full">
            <button
              type="button"
              aria-pressed={isShown}
              title={`${line.label}: click to show alone, Alt-click to hide`}
              onClick={(event) => press(line.id, event.altKey)}
              className={cx(
                'flex h-6 min-w-0 items-center gap-1.5 rounded-control px-1.5 text-meta hover:bg-hover coarse:h-10',
                isShown ? 'text-fg-muted' : 'text-fg-subtle line-through',
              )}
            >
              <Swatch colour={line.colour} isDashed={line.isDashed} />
              <span className="max-w-44 truncate">{line.label}</span>
            </button>
            {line.onOpen && (
              <button
                type="button"
                onClick={line.onOpen}
                className="h-6 rounded-control px-1 text-meta text-accent hover:underline coarse:h-10"
              >
                list
                <span className="sr-only"> the groups of {line.label}</span>
              </button>
            )}
          </li>
        )
      })}
    </ul>
  )
}
