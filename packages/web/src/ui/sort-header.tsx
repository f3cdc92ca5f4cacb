import { ArrowDown, ArrowUp } from 'lucide-react'
import { cx } from '#lib/browser.ts'

interface SortHeaderProps {
  label: string
  /** Texts are aligned to the left, numbers to the right. @default false */
  isText?: boolean
  sorted: 'ascending' | 'descending' | undefined
  onSort: () => void
  className?: string | undefined
}

/** The header of a column of a table that can be sorted. The whole cell is the button. */
export function SortHeader({ label, isText = false, sorted, onSort, className }: SortHeaderProps) {
  const Arrow = sorted === 'ascending' ? ArrowUp : ArrowDown
  const arrow = <Arrow size={11} aria-hidden className={cx('shrink-0', sorted === undefined && 'invisible')} />
  return (
    <th scope="col" aria-sort={sorted ?? 'none'} className={cx('p-0 font-normal', className)}>
      <button
        type="button"
        onClick={onSort}
        className={cx(
          'flex h-7 w-full items-center gap-0.5 whitespace-nowrap rounded-control px-1 hover:bg-hover hover:text-fg coarse:h-10',
          isText ? 'justify-start text-left' : 'justify-end text-right',
          sorted !== undefined && 'text-fg',
        )}
      >
        {!isText && arrow}
        {label}
        {isText && arrow}
      </button>
    </th>
  )
}
