import { ChevronRight } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { cx } from '#lib/browser.ts'

export interface DisclosureProps {
  /** What is shown or hidden. */
  summary: ReactNode
  children: ReactNode
  /** @default false */
  startsOpen?: boolean
  className?: string
}

/** A part of a page that a click on its summary shows or hides. */
export function Disclosure({ summary, children, startsOpen = false, className }: DisclosureProps) {
  const [isOpen, setOpen] = useState(startsOpen)
  const id = useId()
  return (
    <div className={className}>
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
        className="flex min-h-6 max-w-full items-center gap-1 rounded-control text-left text-row text-fg-muted hover:text-fg coarse:min-h-10"
      >
        <ChevronRight size={13} aria-hidden className={cx('shrink-0', isOpen && 'rotate-90')} />
        <span className="min-w-0 truncate">{summary}</span>
      </button>
      {isOpen && <div id={id}>{children}</div>}
    </div>
  )
}
