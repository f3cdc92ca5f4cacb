import type { ReactNode } from 'react'
import { cx } from '#lib/browser.ts'

export interface CardTableProps {
  /** Accessible name, if the page has several tables. */
  label?: string
  /** Titles of the columns. Numbers are aligned to the right. */
  columns: readonly (string | { title: string; isNumber: true })[]
  /** Whether the last column has the actions of a row. */
  hasActions?: boolean
  /** Whether the header stays in view. */
  isSticky?: boolean
  /** `CardRow`s. */
  children: ReactNode
}

/** A short table whose rows become cards on phones. Use `DataGrid` for long lists. */
export function CardTable({ label, columns, hasActions = false, isSticky = false, children }: CardTableProps) {
  return (
    <table aria-label={label} className="w-full text-left text-row max-sm:block">
      <thead
        className={cx(
          'border-b border-border text-meta text-fg-subtle max-sm:sr-only',
          isSticky && 'sticky top-0 bg-surface',
        )}
      >
        <tr className="h-7">
          {columns.map((column) => {
            const { title, isNumber } = typeof column === 'string' ? { title: column, isNumber: false } : column
            return (
              <th key={title} scope="col" className={cx('px-3 font-normal', isNumber && 'num')}>
                {title}
              </th>
            )
          })}
          {hasActions && (
            <th scope="col">
              <span className="sr-only">Actions</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody className="max-sm:block">{children}</tbody>
    </table>
  )
}

/** A row, or a card on phones. Cells have no padding there: `px-3 max-sm:p-0`. */
export function CardRow({ children }: { children: ReactNode }) {
  return (
    <tr className="h-9 border-b border-border hover:bg-hover max-sm:flex max-sm:h-auto max-sm:flex-wrap max-sm:items-center max-sm:gap-x-3 max-sm:gap-y-1 max-sm:p-3">
      {children}
    </tr>
  )
}
