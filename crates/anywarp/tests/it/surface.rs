//! Properties of the public types.

use anywarp::reflection::{Interface, Layout};
use anywarp::{Data, Device, DeviceError, Dispatch, Resident, Shader, ShaderError, Texels};

#[test]
fn handles_and_errors_can_be_sent_and_shared() {
    fn is_send_and_sync<T: Send + Sync>() {}
    is_send_and_sync::<Device>();
    is_send_and_sync::<DeviceError>();
    is_send_and_sync::<Shader>();
    is_send_and_sync::<ShaderError>();
    is_send_and_sync::<Dispatch<'_>>();
    is_send_and_sync::<Data<'_>>();
    is_send_and_sync::<Texels<'_>>();
    is_send_and_sync::<Resident>();
    is_send_and_sync::<Interface>();
    is_send_and_sync::<Layout>();
}
