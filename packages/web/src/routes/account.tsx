import { useQuery } from '@tanstack/react-query'
import { createFileRoute } from '@tanstack/react-router'
import { AccountSections } from '#features/accounts/account-sections.tsx'
import { meQuery } from '#features/accounts/me.ts'
import { cx } from '#lib/browser.ts'
import { AppShell } from '#shell/app-shell.tsx'
import { PageFrame } from '#shell/frame/page-frame.tsx'
import { ErrorState, SkeletonRows } from '#ui/states.tsx'

export const Route = createFileRoute('/account')({ component: AccountPage })

/** Name, password, workspaces and sign-ins of the user. */
function AccountPage() {
  const me = useQuery(meQuery.current())
  if (me.data === undefined) {
    return me.isError ? (
      <ErrorState title="Could not load your account" error={me.error} onRetry={() => void me.refetch()} />
    ) : (
      <SkeletonRows rows={6} label="Loading your account" />
    )
  }
  return (
    <AppShell tenant={me.data.tenant_id}>
      <PageFrame title="Account">
        <div className="min-h-0 flex-1 overflow-auto p-3 sm:p-6">
          <div className={cx('flex flex-col gap-4', me.data.kind === 'person' && 'max-w-4xl')}>
            <AccountSections me={me.data} />
          </div>
        </div>
      </PageFrame>
    </AppShell>
  )
}
