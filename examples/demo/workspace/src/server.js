export function route(path) {
  if (path === '/') return { status: 200, body: 'shop' };
  return { status: 404, body: 'not found' };
}
