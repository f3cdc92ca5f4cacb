import { onlineManager } from '@tanstack/react-query'
import { WifiOff } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { reachability } from '#data/reachability.ts'

/** Says that the browser is offline, or that the server is silent; reads resume by themselves once that is over. */
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
      className="flex items-center gap-2 border-b border-border bg-sunken px-3 py-1 text-row text-warn"
    >
      <WifiOff size={14} aria-hidden />
      {isOnline ? 'The server does not answer.' : 'You are offline.'} What is on screen stays; reads resume by
      themselves.
    </div>
  )
}
