import { onlineManager } from '@tanstack/react-query'
import { WifiOff } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { serverIsDown } from '#data/client.ts'
import { useStore } from '#lib/store.ts'

/** Shown while the browser is offline or the server does not answer. It overlays the page, so that nothing moves. */
export function OfflineBanner() {
  const isOnline = useSyncExternalStore(
    (listener) => onlineManager.subscribe(listener),
    () => onlineManager.isOnline(),
  )
  const isDown = useStore(serverIsDown)
  if (isOnline && !isDown) return null
  return (
    <div
      role="status"
      className="fixed bottom-9 left-1/2 z-40 flex w-max max-w-[calc(100vw-2rem)] -translate-x-1/2 items-center gap-2 rounded-card border border-border-strong bg-surface px-3 py-1.5 text-row text-warn shadow-lg"
    >
      <WifiOff size={14} aria-hidden />
      {isOnline ? 'The server is not responding.' : 'You are offline.'} Showing the last loaded data. Reconnecting…
    </div>
  )
}
