import { ChevronsUpDown } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { foldUnchanged } from '#lib/diff/fold-unchanged.ts'
import { formatCount } from '#lib/format/format.ts'
import { Button } from '#ui/button.tsx'

export interface FoldedListProps<Item> {
  items: readonly Item[]
  isSame: (item: Item) => boolean
  /** Noun for the folded items, for example "lines". */
  of: string
  children: (item: Item, index: number) => ReactNode
}

/** Items rendered at a time; thousands at once would block the page. */
const STEP = 1_000

/** List that folds unchanged ranges until they are opened. */
export function FoldedList<Item>({ items, isSame, of, children }: FoldedListProps<Item>) {
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
          {formatCount(to - from)} unchanged {of}
        </button>,
      )
      continue
    }
    const end = Math.min(to, from + Math.max(most - drawn, 0))
    for (let index = from; index < end; index++) shown.push(children(items[index]!, index))
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
