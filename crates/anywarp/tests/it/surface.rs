//! Properties of the public types.

use anywarp::reflection::{Interface, Layout};
use anywarp::{
    BindingKey, Data, Device, DeviceError, Dispatch, Resident, SamplerData, Shader, ShaderError,
    Texels, Variable,
};

#[test]
fn handles_and_errors_can_be_sent_and_shared() {
    fn is_send_and_sync<T: Send + Sync>() {}
    #[cfg(feature = "cpu")]
    {
        is_send_and_sync::<anywarp::Cpu>();
        is_send_and_sync::<anywarp::AdapterOptions>();
        is_send_and_sync::<anywarp::LostReason>();
    }
    #[cfg(feature = "translate")]
    {
        is_send_and_sync::<anywarp::TranslateOptions>();
        is_send_and_sync::<anywarp::TranslateError>();
    }
    is_send_and_sync::<BindingKey>();
    is_send_and_sync::<SamplerData>();
    is_send_and_sync::<Variable>();
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
