import { onlineManager } from '@tanstack/react-query'
import { WifiOff } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { reachability } from '#data/reachability.ts'

/**
 * Says that the browser is offline, or that the server is silent; reads resume by themselves once that is over. It lies over
 * the page, so that nothing on it moves.
 */
export function OfflineBanner() {
  const isOnline = useSyncExternalStore(
    (listener) => onlineManager.subscribe(listener),
    () => onlineManager.isOnline(),
  )
  const isDown = useSyncExternalStore(reachability.subscribe, reachability.isDown)
  if (isOnline && !isDown) return null
  return (
    <div
      role="status"
      className="fixed bottom-9 left-1/2 z-40 flex w-max max-w-[calc(100vw-2rem)] -translate-x-1/2 items-center gap-2 rounded-card border border-border-strong bg-surface px-3 py-1.5 text-row text-warn shadow-lg"
    >
      <WifiOff size={14} aria-hidden />
      {isOnline ? 'The server does not answer.' : 'You are offline.'} What is on screen stays; reads resume by
      themselves.
    </div>
  )
}
