import { Link, type LinkOptions } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { cx } from '#lib/browser.ts'

export interface PageTab {
  id: string
  label: ReactNode
  link: LinkOptions
}

interface PageTabsProps {
  /** Accessible name of the links. */
  label: string
  tabs: readonly PageTab[]
  /** Id of the page that is open. */
  current: string
  className?: string
}

/** Links to the pages of one object, in the header of each of them. */
export function PageTabs({ label, tabs, current, className = 'scroll-strip h-full min-w-0 px-1' }: PageTabsProps) {
  return (
    <nav aria-label={label} className={cx('flex items-stretch', className)}>
      {tabs.map(({ id, label, link }) => (
        <Link
          key={id}
          {...link}
          // Tabs can differ in their search params only, so the path alone does not tell which one is open.
          activeOptions={{ exact: true, includeSearch: true }}
          aria-current={id === current ? 'page' : undefined}
          ref={id === current ? keepInView : undefined}
          className="-mb-px flex items-center gap-1.5 whitespace-nowrap border-b-2 border-transparent px-2.5 text-row text-fg-muted outline-offset-[-2px] hover:text-fg aria-[current]:border-accent aria-[current]:font-medium aria-[current]:text-fg"
        >
          {label}
        </Link>
      ))}
    </nav>
  )
}

/** The tabs of a narrow page scroll; the open one stays in view, also when buttons beside them arrive later. */
function keepInView(tab: HTMLAnchorElement | null) {
  const strip = tab?.parentElement
  if (!tab || !strip) return undefined
  // Reports the size of the strip at once, and whenever it changes.
  const observer = new ResizeObserver(() => scrollToCenter(tab, strip))
  observer.observe(strip)
  return () => observer.disconnect()
}

function scrollToCenter(tab: Element, strip: Element) {
  const [inner, outer] = [tab.getBoundingClientRect(), strip.getBoundingClientRect()]
  strip.scrollLeft += inner.left + inner.width / 2 - outer.left - outer.width / 2
}
