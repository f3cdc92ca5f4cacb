import { Button } from './button.tsx'
import { CopyButton } from './copy-button.tsx'
import { Dialog } from './dialog.tsx'

interface SigningSecretDialogProps {
  url: string
  secret: string
  /** Headers that were removed because the URL changed. */
  cleared: readonly string[]
  onClose: () => void
}

/** Shows the signing secret of a webhook, once. */
export function SigningSecretDialog({ url, secret, cleared, onClose }: SigningSecretDialogProps) {
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Secret of the webhook"
      description="Copy it now. It is not shown again."
      footer={
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="flex flex-col gap-3 text-row">
        <p className="text-fg-muted">
          Deliveries to <span className="break-all font-mono">{url}</span> are signed with it as Standard Webhooks
          describe.
        </p>
        <div className="flex items-center gap-2 rounded-control border border-border bg-sunken px-2 py-1">
          <code className="min-w-0 flex-1 break-all font-mono">{secret}</code>
          <CopyButton text={secret} label="Copy secret" />
        </div>
        {cleared.length > 0 && (
          <p role="alert">These headers were removed, because the address changed: {cleared.join(', ')}.</p>
        )}
      </div>
    </Dialog>
  )
}
