import { onlineManager } from '@tanstack/react-query'
import { WifiOff } from 'lucide-react'
import { useSyncExternalStore } from 'react'

/** Says that the browser is offline; requests wait and go out by themselves once it is back. */
export function OfflineBanner() {
  const online = useSyncExternalStore(
    (listener) => onlineManager.subscribe(listener),
    () => onlineManager.isOnline(),
  )
  if (online) return null
  return (
    <div
      role="status"
      className="flex items-center gap-2 border-b border-border bg-sunken px-3 py-1 text-row text-warn"
    >
      <WifiOff size={14} aria-hidden />
      You are offline. What is on screen stays; reads resume by themselves.
    </div>
  )
}
