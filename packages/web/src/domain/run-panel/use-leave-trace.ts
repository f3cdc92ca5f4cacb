import { useRouter } from '@tanstack/react-router'
import type { Run } from '@touchstone/contract'

/** Goes where one is once a trace is gone: to the list behind the panel, or to that of its project. */
export function useLeaveTrace({ app_path, session_id }: Run): () => void {
  const router = useRouter()
  return () => {
    const { pathname } = router.state.location
    const isPage = /\/r\/[^/]+$/.test(pathname)
    if (!isPage) {
      return void router.navigate({
        to: '.',
        search: (kept) => ({ ...kept, peek: undefined, tab: undefined }),
        replace: true,
      })
    }
    const tenant = pathname.split('/')[2] ?? app_path?.split('/')[2] ?? ''
    void router.navigate({
      to: '/o/$tenant/projects/p/$projectId',
      params: { tenant, projectId: session_id },
      replace: true,
    })
  }
}
