import { useRouter } from '@tanstack/react-router'
import { Dialog } from 'radix-ui'
import { useEffect } from 'react'
import { SidebarContent } from './sidebar.tsx'

/** The sidebar of narrow screens: a layer from the left, closed by following a link. */
export function SidebarDrawer({ tenant, onClose }: { tenant: string; onClose: () => void }) {
  const router = useRouter()
  useEffect(() => router.subscribe('onBeforeNavigate', onClose), [router, onClose])
  return (
    <Dialog.Root open onOpenChange={onClose}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-[rgb(0_0_0/0.4)]" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed inset-y-0 left-0 z-50 flex w-64 animate-layer flex-col border-r border-border bg-sunken shadow-layer"
        >
          <Dialog.Title className="sr-only">Main</Dialog.Title>
          <nav aria-label="Main" className="flex min-h-0 flex-1 flex-col">
            <SidebarContent tenant={tenant} collapsed={false} />
          </nav>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
