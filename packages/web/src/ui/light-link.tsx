import { useRouter } from '@tanstack/react-router'
import type { ComponentProps, MouseEvent } from 'react'

export interface LightLinkProps extends Omit<ComponentProps<'a'>, 'href'> {
  /** Path and search of a page of this app. */
  href: string
}

/**
 * A link for cells of long lists. The router's own link subscribes to the location and preloads; seven of them per row took
 * most of the time of scrolling.
 */
export function LightLink({ href, onClick, ...rest }: LightLinkProps) {
  const router = useRouter()
  function follow(event: MouseEvent<HTMLAnchorElement>) {
    onClick?.(event)
    const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey
    if (event.defaultPrevented || !isPlain) return
    event.preventDefault()
    void router.navigate({ href })
  }
  return <a href={href} onClick={follow} {...rest} />
}
